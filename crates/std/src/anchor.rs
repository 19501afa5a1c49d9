//! The anchor: where a counter stood when the wall clock was last read. A seqlock of atomics.
//!
//! ```text
//! version   even: the words belong together    odd: somebody is writing them
//!
//! load      v = version; words; version == v and even?  ->  a fix, or nothing
//! publish   version even -> odd; words; version -> the next even    one wins, the others carry on
//! ```
//!
//! Nobody ever waits: who finds the anchor being written does without. A process forked in the middle of
//! a publication finds it so for ever, and pays with a reading of the wall clock each time.

use monoflake_core::sync::{AtomicU64, Ordering, fence};

/// One reading of the wall clock, and how to go on from it:
/// `tick + (fraction + (raw_now - raw) * scale) >> shift`, with the clock's shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fix {
    /// The counter.
    pub(crate) raw: u64,
    /// The tick at that moment.
    pub(crate) tick: u64,
    /// How much of the tick had passed, in `2^-shift` ticks.
    pub(crate) fraction: u64,
    /// How much of a tick one count of the counter is, in `2^-shift` ticks.
    pub(crate) scale: u64,
    /// The time since boot at that moment: what the next scale is measured from.
    pub(crate) boot_ns: u64,
}

#[derive(Debug)]
pub(crate) struct Anchor {
    version: AtomicU64,
    raw: AtomicU64,
    tick: AtomicU64,
    fraction: AtomicU64,
    scale: AtomicU64,
    boot_ns: AtomicU64,
}

impl Anchor {
    pub(crate) fn new(fix: Fix) -> Self {
        Self {
            version: AtomicU64::new(0),
            raw: AtomicU64::new(fix.raw),
            tick: AtomicU64::new(fix.tick),
            fraction: AtomicU64::new(fix.fraction),
            scale: AtomicU64::new(fix.scale),
            boot_ns: AtomicU64::new(fix.boot_ns),
        }
    }

    /// The newest fix, unless one is being published.
    #[inline(always)]
    pub(crate) fn load(&self) -> Option<Fix> {
        // Ordering: Acquire, pairs with the last store of `publish`: words of this version or newer.
        let version = self.version.load(Ordering::Acquire);
        let fix = self.words();
        // Ordering: Acquire, pairs with the Release fence of `publish`: who saw a word of a newer
        // publication sees, in the next load, that its version is odd or gone by.
        fence(Ordering::Acquire);
        // Ordering: Relaxed, ordered by the fence.
        let unchanged = self.version.load(Ordering::Relaxed) == version;
        (unchanged && version.is_multiple_of(2)).then_some(fix)
    }

    /// Publishes what `renew` makes of the fix before; does nothing if somebody else is at it, or if `renew` has
    /// nothing better.
    pub(crate) fn publish(&self, renew: impl FnOnce(Fix) -> Option<Fix>) {
        // Ordering: Relaxed. The exchange checks it.
        let version = self.version.load(Ordering::Relaxed);
        // Ordering: Acquire, pairs with the last store of the publication before: `words` are its words.
        let won = version.is_multiple_of(2)
            && self.version.compare_exchange(version, version + 1, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if !won {
            return;
        }
        // Ordering: Release, pairs with the fence of `load`: the odd version comes before the words.
        fence(Ordering::Release);
        if let Some(fix) = renew(self.words()) {
            // Ordering: Relaxed, all five: between the fence above and the store below.
            self.raw.store(fix.raw, Ordering::Relaxed);
            self.tick.store(fix.tick, Ordering::Relaxed);
            self.fraction.store(fix.fraction, Ordering::Relaxed);
            self.scale.store(fix.scale, Ordering::Relaxed);
            self.boot_ns.store(fix.boot_ns, Ordering::Relaxed);
        }
        // Ordering: Release, pairs with the first load of `load`: the words come before the even version.
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }

    #[inline(always)]
    fn words(&self) -> Fix {
        // Ordering: Relaxed, all five. Whether they belong together is the version's business.
        Fix {
            raw: self.raw.load(Ordering::Relaxed),
            tick: self.tick.load(Ordering::Relaxed),
            fraction: self.fraction.load(Ordering::Relaxed),
            scale: self.scale.load(Ordering::Relaxed),
            boot_ns: self.boot_ns.load(Ordering::Relaxed),
        }
    }
}

#[cfg(all(test, monoflake_loom))]
mod tests {
    use loom::{sync::Arc, thread};

    use super::{Anchor, Fix};

    /// A fix whose words all say the same, so that a torn one shows.
    fn fix(n: u64) -> Fix {
        Fix { raw: n, tick: n, fraction: n, scale: n, boot_ns: n }
    }

    /// Nobody sees words of two publications as one.
    #[test]
    fn a_fix_is_never_torn() {
        loom::model(|| {
            let anchor = Arc::new(Anchor::new(fix(0)));
            let writer = Arc::clone(&anchor);
            let writing = thread::spawn(move || writer.publish(|_| Some(fix(1))));
            if let Some(seen) = anchor.load() {
                assert_eq!(seen, fix(seen.raw));
            }
            writing.join().unwrap();
            assert_eq!(anchor.load(), Some(fix(1)));
        });
    }

    /// Two writers never mix, and each that won built on the fix before.
    #[test]
    fn one_publication_at_a_time() {
        loom::model(|| {
            let anchor = Arc::new(Anchor::new(fix(0)));
            let other = Arc::clone(&anchor);
            let next = |before: Fix| {
                assert_eq!(before, fix(before.raw));
                Some(fix(before.raw + 1))
            };
            let writing = thread::spawn(move || other.publish(next));
            anchor.publish(next);
            writing.join().unwrap();
            let last = anchor.load().expect("nobody is writing");
            assert!(last == fix(1) || last == fix(2));
        });
    }
}
