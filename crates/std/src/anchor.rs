//! The anchor: where a counter stood when the wall clock was last read. A seqlock of atomics.
//!
//! ```text
//! version   even: the words belong together    odd: somebody is writing them
//!
//! load      v = version; words; version == v and even?        a fix and its version, or nothing
//! publish   version v -> v + 1; words; version -> v + 2       one wins, the others carry on
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

/// Which publication a fix is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version(u64);

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

    /// The newest fix and its version, unless one is being published.
    #[inline(always)]
    pub(crate) fn load(&self) -> Option<(Fix, Version)> {
        // Ordering: Acquire, pairs with the last store of `publish`: words of this version or newer.
        let version = self.version.load(Ordering::Acquire);
        // Ordering: Relaxed, all five. Whether they belong together is the version's business.
        let fix = Fix {
            raw: self.raw.load(Ordering::Relaxed),
            tick: self.tick.load(Ordering::Relaxed),
            fraction: self.fraction.load(Ordering::Relaxed),
            scale: self.scale.load(Ordering::Relaxed),
            boot_ns: self.boot_ns.load(Ordering::Relaxed),
        };
        // Ordering: Acquire, pairs with the Release fence of `publish`: who saw a word of a newer
        // publication sees, in the next load, that its version is odd or gone by.
        fence(Ordering::Acquire);
        // Ordering: Relaxed, ordered by the fence.
        let unchanged = self.version.load(Ordering::Relaxed) == version;
        (unchanged && version.is_multiple_of(2)).then_some((fix, Version(version)))
    }

    /// Publishes a fix over the one that was loaded with `seen`; does nothing if somebody else has, or is at it.
    pub(crate) fn publish(&self, Version(seen): Version, fix: Fix) {
        // Ordering: Relaxed. The words of the publication before come first, since `load` has seen its last store.
        if self.version.compare_exchange(seen, seen.wrapping_add(1), Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        // Ordering: Release, pairs with the fence of `load`: the odd version comes before the words.
        fence(Ordering::Release);
        // Ordering: Relaxed, all five: between the fence above and the store below.
        self.raw.store(fix.raw, Ordering::Relaxed);
        self.tick.store(fix.tick, Ordering::Relaxed);
        self.fraction.store(fix.fraction, Ordering::Relaxed);
        self.scale.store(fix.scale, Ordering::Relaxed);
        self.boot_ns.store(fix.boot_ns, Ordering::Relaxed);
        // Ordering: Release, pairs with the first load of `load`: the words come before the even version.
        self.version.store(seen.wrapping_add(2), Ordering::Release);
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

    /// Reads the anchor and publishes the next fix over what it saw.
    fn renew(anchor: &Anchor) {
        if let Some((seen, version)) = anchor.load() {
            assert_eq!(seen, fix(seen.raw));
            anchor.publish(version, fix(seen.raw + 1));
        }
    }

    /// Nobody sees words of two publications as one. (The writer's version is made beforehand: a load of its own
    /// would hide from loom that its exchange conflicts with the reader's load.)
    #[test]
    fn a_fix_is_never_torn() {
        loom::model(|| {
            let anchor = Arc::new(Anchor::new(fix(0)));
            let (_, version) = anchor.load().expect("nobody is writing");
            let writer = Arc::clone(&anchor);
            let writing = thread::spawn(move || writer.publish(version, fix(1)));
            if let Some((seen, _)) = anchor.load() {
                assert_eq!(seen, fix(seen.raw));
            }
            writing.join().unwrap();
            assert_eq!(anchor.load().map(|(seen, _)| seen), Some(fix(1)));
        });
    }

    /// Of two who saw the same fix one publishes: nothing mixes, and no publication is lost.
    #[test]
    fn one_publication_at_a_time() {
        loom::model(|| {
            let anchor = Arc::new(Anchor::new(fix(0)));
            let (_, version) = anchor.load().expect("nobody is writing");
            let other = Arc::clone(&anchor);
            let writing = thread::spawn(move || other.publish(version, fix(1)));
            anchor.publish(version, fix(2));
            writing.join().unwrap();
            let (last, _) = anchor.load().expect("nobody is writing");
            assert!(last == fix(1) || last == fix(2), "{last:?}");
            renew(&anchor);
            assert_eq!(anchor.load().map(|(seen, _)| seen.raw), Some(last.raw + 1));
        });
    }

    /// Readers that renew meet each other's publications whole. (With at most two preemptions: more take minutes.)
    #[test]
    fn renewals_build_on_whole_fixes() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let anchor = Arc::new(Anchor::new(fix(0)));
            let other = Arc::clone(&anchor);
            let writing = thread::spawn(move || renew(&other));
            renew(&anchor);
            writing.join().unwrap();
            let (last, _) = anchor.load().expect("nobody is writing");
            assert_eq!(last, fix(last.raw));
        });
    }
}
