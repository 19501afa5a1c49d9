//! The permit: the one word that a generator obeys, and the protocol that changes it.
//!
//! ```text
//! packed  until << node_bits | node     0 = may not generate
//!
//! call     p = packed; exchange; packed == p?      else the words are dropped and the call begins anew
//!
//! revoke   packed = 0
//! retire   packed = 0; begin_tick                                the tick begun is the first never used
//! grant    packed = 0; begin_tick; skip_to(from); packed = p     to a node that was not granted last
//!                                  skip_to(from); packed = p     to the same node: an extension
//! ```
//!
//! Which node and until which tick are one word, so they change together: whichever permit a call loaded,
//! the id it makes lies in a window that this process owned (I2).
//!
//! Every step on `next` is a place in one order. A call whose exchange comes before `begin_tick` uses no tick from the
//! one begun on. A call whose exchange comes after it sees that `packed` has changed, and uses nothing. So `retire` is
//! exact beside calls in flight (I3), and over a change of node, whose number stands above the sequence, ids
//! still rise (I1): no tick has ids of two nodes.

use crate::{
    Layout, Node, const_unless_loom,
    counter::Counter,
    sync::{AtomicU64, Ordering},
};

#[derive(Debug)]
pub(crate) struct Permit {
    packed: AtomicU64,
}

/// A permit as one call saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held(u64);

impl Held {
    #[inline(always)]
    pub(crate) const fn until(self, layout: Layout) -> u64 {
        self.0 >> layout.node_bits
    }

    const fn is_closed(self) -> bool {
        self.0 == 0
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
            Self { packed: AtomicU64::new(0) }
        }
    }

    const_unless_loom! {
        pub(crate) const fn open(until: u64, node: Node) -> Self {
            Self { packed: AtomicU64::new(Held::pack(until, node).0) }
        }
    }

    #[inline(always)]
    pub(crate) fn load(&self) -> Held {
        // Ordering: Acquire, pairs with the last swap of `grant`: who sees this permit sees `next` at or above
        // its `from`. With Relaxed, a weakly ordered CPU might show the permit first, and a call would use the
        // new node below `from`. (loom runs stores in program order and cannot show that.)
        Held(self.packed.load(Ordering::Acquire))
    }

    /// Whether the permit that a call loaded before its exchange still stood when `next` was last changed for
    /// another; if not, the words are not the call's to use.
    #[inline(always)]
    pub(crate) fn still(&self, held: Held) -> bool {
        // Ordering: Relaxed. An exchange that comes after a `begin_tick` has acquired from it, and `packed` was closed
        // before that: what is read here is that 0, or something later.
        self.packed.load(Ordering::Relaxed) == held.0
    }

    pub(crate) fn grant(&self, counter: &Counter, node: Node, from: u64, until: u64) {
        let layout = node.layout();
        let before = self.load();
        if before.is_closed() || before.node(layout) != node.number() {
            self.retire(counter, layout);
        }
        counter.skip_to(layout.word(from));
        // Ordering: AcqRel. Release pairs with `load`; Acquire makes all changes of the permit one chain.
        self.packed.swap(Held::pack(until, node).0, Ordering::AcqRel);
    }

    pub(crate) fn revoke(&self) {
        // Ordering: AcqRel, as in `grant`.
        self.packed.swap(0, Ordering::AcqRel);
    }

    /// Closes the permit for all calls, also those in flight, and returns the first tick that none has used.
    pub(crate) fn retire(&self, counter: &Counter, layout: Layout) -> u64 {
        self.revoke();
        counter.begin_tick(layout)
    }
}
