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
    rule::Grant,
    sync::{AtomicU64, Ordering, const_unless_loom},
};

#[derive(Debug)]
pub(crate) struct Counter {
    next: AtomicU64,
    /// The greatest permit ever granted: `permit.rs` keeps it. It stands here because it is as seldom read as written,
    /// and the line that callers only read has no room.
    pub(crate) horizon: AtomicU64,
}

impl Counter {
    const_unless_loom! {
        pub(crate) const fn new(horizon: u64) -> Self {
            Self { next: AtomicU64::new(0), horizon: AtomicU64::new(horizon) }
        }
    }

    /// Gives out what `step` grants for the value it is shown, or fails as `step` fails, changing nothing.
    /// Lock-free: an exchange fails only because another caller's succeeded.
    #[inline(always)]
    pub(crate) fn advance<E>(&self, mut step: impl FnMut(u64) -> Result<Grant, E>) -> Result<Grant, E> {
        // Ordering: Acquire, here and where the exchange fails: what `step` reads, such as a clock in memory, is
        // read after the value that it is judged against. A stale value costs no more than an exchange.
        let mut next = self.next.load(Ordering::Acquire);
        loop {
            let grant = step(next)?;
            // Ordering: Relaxed. That the words are disjoint and rise needs only the single order in which `next` is
            // modified, and in which exchanges are atomic; an id carries no other data with it. What must be seen
            // before (`from` of a lease) is seen through the permit.
            match self.next.compare_exchange_weak(next, grant.end, Ordering::Relaxed, Ordering::Acquire) {
                Ok(_) => return Ok(grant),
                Err(seen) => next = seen,
            }
        }
    }

    /// Skips all words below `word`; returns the first word not given out before that.
    pub(crate) fn raise(&self, word: u64) -> u64 {
        // Ordering: Relaxed. For a grant, the permit's Release publishes it; for a retirement, it
        // stands in the order of `next` before or after each exchange, and that decides.
        self.next.fetch_max(word, Ordering::Relaxed)
    }

    pub(crate) fn next(&self) -> u64 {
        // Ordering: Relaxed. A hint for waiting and for Debug.
        self.next.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::{sync::Barrier, thread, vec::Vec};

    use super::Counter;
    use crate::rule::Grant;

    /// Takes `count` words one by one; says how often the step was run for that.
    fn take_words(counter: &Counter, count: usize) -> (Vec<u64>, usize) {
        let mut steps = 0;
        let mut one_more = |next| {
            steps += 1;
            // Leaves the processor between load and exchange now and then, which is where an exchange gets lost.
            if steps % 64 == 0 {
                thread::yield_now();
            }
            Ok::<_, ()>(Grant { start: next, end: next + 1 })
        };
        let words = (0..count).map(|_| counter.advance(&mut one_more).expect("never refused").start).collect();
        (words, steps)
    }

    #[test]
    fn words_are_distinct_where_exchanges_are_lost() {
        const THREADS: usize = 4;
        /// So many exchanges must have been lost.
        const ENOUGH: usize = 100;
        for load in (10..=20).map(|doublings| 1 << doublings) {
            let counter = Counter::new(0);
            let start = Barrier::new(THREADS);
            let taken: Vec<(Vec<u64>, usize)> = thread::scope(|scope| {
                let takers: Vec<_> = (0..THREADS)
                    .map(|_| {
                        scope.spawn(|| {
                            start.wait();
                            take_words(&counter, load)
                        })
                    })
                    .collect();
                takers.into_iter().map(|taker| taker.join().expect("it does not panic")).collect()
            });
            let mut all: Vec<u64> = taken.iter().flat_map(|(words, _)| words.iter().copied()).collect();
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..(THREADS * load) as u64), "each word once, and none left out");
            assert!(taken.iter().all(|(words, _)| words.is_sorted()));

            let steps: usize = taken.iter().map(|(_, steps)| steps).sum();
            if steps >= THREADS * load + ENOUGH {
                return;
            }
        }
        panic!("hardly an exchange was lost: this test has shown nothing");
    }
}
