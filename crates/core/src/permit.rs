//! The permit: the one word that a generator obeys, and the protocol that changes it.
//!
//! ```text
//! packed   until << node_bits | node     0 = may not generate
//! horizon  the greatest permit ever granted: how far calls in flight may still go
//!
//! grant    horizon = max(horizon, p); next = max(next, word(from)); packed = p
//!          to another node than the last: only from horizon's `until` on
//! revoke   packed = 0
//! retire   packed = 0; next = max(next, word(horizon's until))
//! ```
//!
//! The node and the end of its window share one word, so they change together: whichever permit a call loaded,
//! the id it makes lies in a window that this process owned (I2).
//!
//! A call in flight may hold any permit of the past, a revoked or replaced one too. None reaches beyond the horizon. So
//! [`retire`](Permit::retire), which raises the counter to it, leaves no call anything to use (I3); and a new node begins
//! where all ids of the one before have ended, so that ids rise although the node stands above the sequence (I1).

use crate::{
    Layout, Node,
    counter::Counter,
    sync::{AtomicU64, Ordering, const_unless_loom},
};

#[derive(Debug)]
pub(crate) struct Permit {
    packed: AtomicU64,
}

/// A permit as one call saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held(u64);

impl Held {
    /// No permit at all.
    pub(crate) const CLOSED: Self = Self(0);

    pub(crate) const fn packed(self) -> u64 {
        self.0
    }

    #[inline(always)]
    pub(crate) const fn until(self, layout: Layout) -> u64 {
        self.0 >> layout.node_bits
    }

    #[inline(always)]
    pub(crate) const fn node(self, layout: Layout) -> u64 {
        self.0 & (layout.node_count() - 1)
    }

    /// `{ until, node }`; `until` is at most the end of the time field, so 63 bits and one hold both.
    pub(crate) const fn pack(until: u64, node: Node) -> Self {
        Self(until << node.layout().node_bits | node.number())
    }
}

impl Permit {
    const_unless_loom! {
        pub(crate) const fn new(held: Held) -> Self {
            Self { packed: AtomicU64::new(held.0) }
        }
    }

    #[inline(always)]
    pub(crate) fn load(&self) -> Held {
        // Ordering: Acquire, pairs with the swap in `grant`: the raise to `from` comes before the exchange of whoever
        // has seen this permit, so that one with an older `next` is lost. With Relaxed, a weakly ordered CPU might put
        // the exchange before the raise, and a call would use the new node below `from`. (loom runs stores in program
        // order and cannot show that.)
        Held(self.packed.load(Ordering::Acquire))
    }

    /// The first tick that a grant of this node may begin with.
    pub(crate) fn earliest(counter: &Counter, node: Node) -> u64 {
        // Ordering: Acquire, pairs with `fetch_max` in `grant`, if another thread granted last.
        let last = Held(counter.horizon.load(Ordering::Acquire));
        if last.node(node.layout()) == node.number() { 0 } else { last.until(node.layout()) }
    }

    /// `from` is at least [`earliest`](Self::earliest).
    pub(crate) fn grant(&self, counter: &Counter, node: Node, from: u64, until: u64) {
        let permit = Held::pack(until, node);
        // Ordering: AcqRel. The swap below publishes it to a later `retire`.
        counter.horizon.fetch_max(permit.0, Ordering::AcqRel);
        counter.raise(node.layout().word(from));
        // Ordering: AcqRel. Release pairs with `load`. Acquire, here and in `revoke`,
        // makes all changes of the permit one chain, so that `retire` sees every earlier horizon.
        self.packed.swap(permit.0, Ordering::AcqRel);
    }

    pub(crate) fn revoke(&self) {
        // Ordering: AcqRel, a link of the chain described in `grant`.
        self.packed.swap(0, Ordering::AcqRel);
    }

    /// Returns the first word never given out.
    pub(crate) fn retire(&self, counter: &Counter, layout: Layout) -> u64 {
        self.revoke();
        // Ordering: Relaxed. The chain has made every earlier grant's horizon visible.
        let horizon = Held(counter.horizon.load(Ordering::Relaxed));
        // An exchange of a call in flight comes before this in the order of `next`, and then what is
        // returned counts it; or after, and then it finds `next` changed or at its limit.
        counter.raise(layout.word(horizon.until(layout)))
    }
}
