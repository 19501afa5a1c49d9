//! The permit: the one word that a generator obeys, and the protocol that changes it.
//!
//! ```text
//! packed  until << node_bits | node     0 = may not generate
//!
//! grant    horizon = max(horizon, until); next = max(next, word(from)); packed = { until, node }
//! revoke   packed = 0
//! retire   packed = 0; next = max(next, word(horizon))
//! ```
//!
//! Which node and until which tick are one word, so they change together: whichever permit a call loaded,
//! the id it makes lies in a window that this process owned (I2). `horizon` is the highest `until` ever
//! granted: a call still in flight may hold any earlier permit, also a revoked one, and
//! [`retire`](Permit::retire) must stop them all (I3).

use crate::{
    Layout, Node, const_unless_loom,
    counter::Counter,
    sync::{AtomicU64, Ordering},
};

#[derive(Debug)]
pub(crate) struct Permit {
    packed: AtomicU64,
    horizon: AtomicU64,
}

/// A permit as one call saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held(u64);

impl Held {
    #[inline(always)]
    pub(crate) const fn until(self, layout: Layout) -> u64 {
        self.0 >> layout.node_bits
    }

    #[inline(always)]
    pub(crate) const fn node(self, layout: Layout) -> u64 {
        self.0 & (layout.node_count() - 1)
    }

    /// `{ until, node }`; `until` is at most the end of the time field, so 63 bits and one hold both.
    const fn pack(until: u64, node: Node) -> Self {
        Self(until << node.layout().node_bits | node.number())
    }
}

impl Permit {
    const_unless_loom! {
        pub(crate) const fn closed() -> Self {
            Self { packed: AtomicU64::new(0), horizon: AtomicU64::new(0) }
        }
    }

    const_unless_loom! {
        pub(crate) const fn open(until: u64, node: Node) -> Self {
            Self { packed: AtomicU64::new(Held::pack(until, node).0), horizon: AtomicU64::new(until) }
        }
    }

    #[inline(always)]
    pub(crate) fn load(&self) -> Held {
        // Ordering: Acquire, pairs with the swap in `grant`: who sees this permit sees `next` at or above
        // its `from`. With Relaxed, a weakly ordered CPU might show the permit first, and a call would use the
        // new node below `from`. (loom runs stores in program order and cannot show that.)
        Held(self.packed.load(Ordering::Acquire))
    }

    pub(crate) fn grant(&self, counter: &Counter, node: Node, from: u64, until: u64) {
        // Ordering: Relaxed. The swap below publishes it to a later `retire`.
        self.horizon.fetch_max(until, Ordering::Relaxed);
        counter.raise(node.layout().word(from));
        // Ordering: AcqRel. Release pairs with `load`. Acquire, here and in the other two swaps,
        // makes all changes of the permit one chain, so that `retire` sees every earlier horizon.
        self.packed.swap(Held::pack(until, node).0, Ordering::AcqRel);
    }

    pub(crate) fn revoke(&self) {
        // Ordering: AcqRel, a link of the chain described in `grant`.
        self.packed.swap(0, Ordering::AcqRel);
    }

    /// Returns the first word never given out.
    pub(crate) fn retire(&self, counter: &Counter, layout: Layout) -> u64 {
        // Ordering: AcqRel, the end of the chain described in `grant`.
        self.packed.swap(0, Ordering::AcqRel);
        // Ordering: Relaxed. The chain has made every earlier grant's horizon visible.
        let horizon = self.horizon.load(Ordering::Relaxed);
        // An exchange of a call in flight comes before this in the order of `next`, and then what is
        // returned counts it; or after, and then it finds `next` changed or at its limit.
        counter.raise(layout.word(horizon))
    }
}
