//! The counter: the first word not yet given out, and the crate's only compare-and-swap loop.
//!
//! ```text
//! words   ... given out ... | next | ... not yet ...
//! advance:  { next: w }  ->  { next: grant.end }    and start..end belong to the caller
//! raise:    { next: w }  ->  { next: max(w, word) }
//! ```
//!
//! I1: both transitions only raise `next`, so a value that it has left never comes back (no ABA), and
//! each word lies in the range of exactly one successful exchange.

use crate::{
    const_unless_loom,
    rule::Grant,
    sync::{AtomicU64, Ordering},
};

#[derive(Debug)]
pub(crate) struct Counter {
    next: AtomicU64,
}

impl Counter {
    const_unless_loom! {
        pub(crate) const fn new() -> Self {
            Self { next: AtomicU64::new(0) }
        }
    }

    /// Gives out what `step` grants for the value it is shown, or fails as `step` fails, changing nothing.
    /// Lock-free: an exchange fails only because another caller's succeeded.
    #[inline(always)]
    pub(crate) fn advance<E>(&self, mut step: impl FnMut(u64) -> Result<Grant, E>) -> Result<Grant, E> {
        // Ordering: Relaxed. A stale value costs an exchange, which compares with the newest one.
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            let grant = step(next)?;
            // Ordering: Relaxed. That the words are disjoint and rise needs only the single
            // modification order of `next`, in which exchanges are atomic; an id carries no other data
            // with it. What must be seen before (`from` of a lease) is seen through the permit.
            match self.next.compare_exchange_weak(next, grant.end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(grant),
                Err(seen) => next = seen,
            }
        }
    }

    /// Skips all words below `word`; returns the first word not given out before that.
    pub(crate) fn raise(&self, word: u64) -> u64 {
        // Ordering: Relaxed. For a grant, the permit's Release publishes it; for a retirement, it
        // stands in the modification order before or after each exchange, and that decides.
        self.next.fetch_max(word, Ordering::Relaxed)
    }

    pub(crate) fn next(&self) -> u64 {
        // Ordering: Relaxed. A hint for waiting and for Debug.
        self.next.load(Ordering::Relaxed)
    }
}
