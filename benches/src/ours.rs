//! Monoflake, by clock.

use monoflake::{CachedClock, Clock, Generator, Id, Layout, SystemClock, TscClock};

use crate::contestant::{Batch, Contestant, insist, one};

/// So many ids a tick that the ceiling does not bind: what is measured is the code.
pub const WIDE: Layout = Layout::constant(41, 0, 22).with_epoch_ms(1_735_689_600_000);

/// The size of a batch.
pub const BATCH: usize = 1024;

/// A generator of its own for each call: nothing has been taken from its ticks.
pub fn generator<C: Clock>(layout: Layout, clock: impl FnOnce(Layout) -> C) -> Generator<C> {
    Generator::new(layout.node(0).expect("every layout has a node 0"), clock(layout))
}

/// The cached clock, with its thread.
pub fn cached(layout: Layout) -> CachedClock {
    CachedClock::new(layout).expect("the system gives a thread")
}

/// `try_next` with the counter.
pub fn tsc() -> Box<dyn Contestant> {
    try_next(generator(WIDE, TscClock::new))
}

/// `try_next` with the cached clock.
pub fn cached_clock() -> Box<dyn Contestant> {
    try_next(generator(WIDE, cached))
}

/// `try_next` with the system's clock.
pub fn system_clock() -> Box<dyn Contestant> {
    try_next(generator(WIDE, SystemClock::new))
}

fn try_next<C: Clock + Send + Sync + 'static>(generator: Generator<C>) -> Box<dyn Contestant> {
    one!(generator, |generator| insist!(generator.try_next()).as_u64())
}

/// `next` in the default layout: the ceiling binds, and the clock waits.
pub fn saturated<C: Clock + Send + Sync + 'static>(clock: impl FnOnce(Layout) -> C) -> Box<dyn Contestant> {
    one!(generator(Layout::DEFAULT, clock), |generator| generator.next().expect("the clock goes on").as_u64())
}

/// `try_reserve`, written out.
pub fn reserve() -> Box<dyn Contestant> {
    let generator = generator(WIDE, TscClock::new);
    Box::new(Batch {
        empty: vec![Id::MIN; BATCH],
        fill: move |ids: &mut Vec<Id>| {
            let batch = insist!(generator.try_reserve(BATCH));
            let made = batch.len();
            ids.iter_mut().zip(batch).for_each(|(slot, id)| *slot = id);
            made
        },
    })
}

/// `fill`.
pub fn fill() -> Box<dyn Contestant> {
    let generator = generator(WIDE, TscClock::new);
    Box::new(Batch {
        empty: vec![Id::MIN; BATCH],
        fill: move |ids: &mut Vec<Id>| {
            generator.fill(ids).expect("the clock goes on");
            ids.len()
        },
    })
}
