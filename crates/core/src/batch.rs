//! A batch: a run of words that belong to one caller, turned into ids one by one.

use crate::{Id, Layout, rule::Grant};

/// Ids that were reserved together, in rising order.
///
/// They are the caller's whether used or not: what is dropped is never given out again.
///
/// ```
/// use monoflake_core::{Generator, Layout, ManualClock};
///
/// let generator = Generator::new(Layout::DEFAULT.node(7)?, ManualClock::new(1));
/// let batch = generator.try_reserve(3).expect("the tick is fresh");
/// assert_eq!(batch.len(), 3);
/// assert!(batch.is_sorted());
/// # Ok::<(), monoflake_core::LayoutError>(())
/// ```
///
/// So there is no second one:
///
/// ```compile_fail,E0599
/// # use monoflake_core::{Generator, Layout, ManualClock};
/// # let generator = Generator::new(Layout::DEFAULT.node(7).unwrap(), ManualClock::new(1));
/// let batch = generator.try_reserve(3).unwrap();
/// let same_ids = batch.clone();
/// ```
#[derive(Debug)]
#[must_use = "the reserved ids are lost if they are not used"]
pub struct Batch {
    next: u64,
    end: u64,
    layout: Layout,
    node: u64,
}

impl Batch {
    #[inline(always)]
    pub(crate) const fn new(grant: Grant, layout: Layout, node: u64) -> Self {
        Self { next: grant.start, end: grant.end, layout, node }
    }

    pub(crate) const fn empty(layout: Layout) -> Self {
        Self { next: 0, end: 0, layout, node: 0 }
    }
}

impl Iterator for Batch {
    type Item = Id;

    #[inline]
    fn next(&mut self) -> Option<Id> {
        if self.next == self.end {
            return None;
        }
        let id = self.layout.stamp(self.next, self.node);
        self.next += 1;
        Some(id)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        // A grant is at most as long as the `usize` that was asked for.
        #[allow(clippy::cast_possible_truncation, reason = "bounded by the request")]
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Batch {}
impl core::iter::FusedIterator for Batch {}
