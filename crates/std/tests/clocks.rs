//! The real clocks: that they agree with the operating system's, and that generators go on over many ticks with them.
#![allow(clippy::disallowed_methods, reason = "the tests compare with the clock that the crate reads")]

use std::{
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use monoflake::{CachedClock, Clock, Generator, Id, Layout, SystemClock, TscClock};

const LAYOUT: Layout = Layout::DEFAULT;

fn system_tick() -> u64 {
    LAYOUT.tick_at(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970"))
}

/// Between two readings of the system's clock, however far apart a busy machine makes them.
fn assert_agrees(clock: &impl Clock, lag: u64) {
    let before = system_tick();
    let read = clock.now();
    let after = system_tick();
    assert!(
        (before.saturating_sub(lag)..=after + 1).contains(&read),
        "{read} is not in {before} - {lag}..={after} + 1"
    );
}

/// Five ticks' worth of ids, waiting for each tick.
fn assert_goes_on(clock: impl Clock) {
    let generator = Generator::new(LAYOUT.node(7).unwrap(), clock);
    let before = system_tick();
    let mut ids = vec![Id::MIN; 20_000];
    generator.fill(&mut ids).unwrap();
    assert!(ids.is_sorted_by(|a, b| a < b));
    let last = LAYOUT.decode(ids[19_999]).unwrap();
    assert_eq!(last.node, 7);
    assert!(last.tick >= before + 3 && last.tick <= system_tick() + 1);
}

#[test]
fn system_clock_goes_on() {
    assert_agrees(&SystemClock::new(LAYOUT), 0);
    assert_goes_on(SystemClock::new(LAYOUT));
}

#[test]
fn tsc_clock_agrees_over_many_anchors() {
    let clock = TscClock::new(LAYOUT);
    for _ in 0..50 {
        assert_agrees(&clock, 1);
        thread::sleep(Duration::from_millis(11));
    }
}

#[test]
fn tsc_clock_goes_on() {
    assert_goes_on(TscClock::new(LAYOUT));
}

#[test]
fn cached_clock_goes_on() {
    // Its thread may be kept from running; what it stored last is never ahead.
    assert_agrees(&CachedClock::new(LAYOUT).unwrap(), 10_000);
    assert_goes_on(CachedClock::new(LAYOUT).unwrap());
}

#[test]
fn cached_clock_moves_by_itself() {
    let clock = CachedClock::new(LAYOUT).unwrap();
    let start = clock.now();
    assert!((0..1_000).any(|_| {
        thread::sleep(Duration::from_millis(1));
        clock.now() > start
    }));
}

#[test]
fn one_clock_serves_many_generators_and_threads() {
    let clock = TscClock::new(LAYOUT);
    let generators: Vec<_> = (0..4).map(|n| Generator::new(LAYOUT.node(n).unwrap(), &clock)).collect();
    let mut ids: Vec<Id> = thread::scope(|scope| {
        let threads: Vec<_> = generators
            .iter()
            .map(|generator| scope.spawn(|| (0..5_000).map(|_| generator.next().unwrap()).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 20_000);
}

/// bwmarrin/snowflake's and yitter's kind of fault, on a real clock: a tick of 10 ms, over the end of several ticks.
#[test]
fn long_ticks_are_waited_for() {
    let layout = Layout::constant(39, 20, 4).with_tick(Duration::from_millis(10)).unwrap();
    let generator = Generator::new(layout.node(7).unwrap(), SystemClock::new(layout));
    let mut ids = [Id::MIN; 64];
    generator.fill(&mut ids).unwrap();
    assert!(ids.is_sorted_by(|a, b| a < b));
}
