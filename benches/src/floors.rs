//! The floors: what no generator can cost less than.

use std::{
    hint::{black_box, cold_path},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::SystemTime,
};

use crossbeam_utils::CachePadded;

use crate::contestant::{Contestant, one};

/// Nothing: what the loop costs, and what the timing of each call.
pub fn nothing() -> Box<dyn Contestant> {
    one!((), |_nothing| 0)
}

/// The counter that `rdtsc` reads, through quanta.
pub fn raw_counter() -> Box<dyn Contestant> {
    one!(quanta::Clock::new(), |clock| clock.raw())
}

/// The system's wall clock.
pub fn system_time() -> Box<dyn Contestant> {
    one!((), |_nothing| {
        black_box(SystemTime::now());
        0
    })
}

/// One atomic addition.
pub fn fetch_add() -> Box<dyn Contestant> {
    one!(CachePadded::new(AtomicU64::new(0)), |next| next.fetch_add(1, Relaxed))
}

/// One load and one compare-and-swap, again if another came first.
pub fn exchange() -> Box<dyn Contestant> {
    one!(CachePadded::new(AtomicU64::new(0)), |next| advance(next, |seen| seen))
}

/// About a millisecond of a counter of some GHz.
const TICK: u64 = 1 << 21;

/// Counter and exchange in one loop, and nothing else: no layout, no lease, no refusal. The bare algorithm.
pub fn counter_and_exchange() -> Box<dyn Contestant> {
    one!((quanta::Clock::new(), CachePadded::new(AtomicU64::new(0))), |state| {
        let (clock, next) = state;
        let floor = clock.raw() & !(TICK - 1);
        advance(next, |seen| seen.max(floor))
    })
}

/// [`counter_and_exchange`] with the start taken by a branch, which is predicted, and not by a conditional move: then the
/// exchange does not wait for the counter.
pub fn counter_and_exchange_predicted() -> Box<dyn Contestant> {
    one!((quanta::Clock::new(), CachePadded::new(AtomicU64::new(0))), |state| {
        let (clock, next) = state;
        let floor = clock.raw() & !(TICK - 1);
        advance(next, |seen| {
            if seen < floor {
                cold_path();
                floor
            } else {
                seen
            }
        })
    })
}

#[inline(always)]
fn advance(next: &AtomicU64, start: impl Fn(u64) -> u64) -> u64 {
    let mut seen = next.load(Relaxed);
    loop {
        let start = start(seen);
        match next.compare_exchange_weak(seen, start + 1, Relaxed, Relaxed) {
            Ok(_) => return start,
            Err(newer) => seen = newer,
        }
    }
}
