//! The anchored clock over a world that the test moves: wall clock, time since boot, and a counter, each on its own.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    time::Duration,
};

use monoflake_core::Layout;

use super::{Anchored, MAX_AGE, Source};

/// In ns, but for `raw`.
struct World {
    wall_ns: Cell<u64>,
    boot_ns: Cell<u64>,
    raw: Cell<u64>,
    /// Thousandths of a count that have passed.
    raw_rest: Cell<u64>,
    raw_per_us: Cell<u64>,
    /// What quanta believes.
    ns_per_2_32_raw: Cell<u64>,
    /// Readings of the wall clock so far.
    wall_reads: Cell<u64>,
    /// Interruptions to come, in ns, each right after a reading of the wall clock.
    interruptions: RefCell<VecDeque<u64>>,
}

const EPOCH: Duration = Duration::from_millis(Layout::DEFAULT.epoch_ms());
const MS: u64 = 1_000_000;

impl World {
    /// A day after the epoch, with a counter of 2.6 GHz.
    fn new() -> Self {
        Self {
            wall_ns: Cell::new(u64::try_from(EPOCH.as_nanos()).unwrap() + 86_400_000 * MS),
            boot_ns: Cell::new(1_000 * MS),
            raw: Cell::new(5_000_000_000_000),
            raw_rest: Cell::new(0),
            raw_per_us: Cell::new(2_600),
            ns_per_2_32_raw: Cell::new((1 << 32) * 1_000 / 2_600),
            wall_reads: Cell::new(0),
            interruptions: RefCell::default(),
        }
    }

    fn pass(&self, ns: u64) {
        self.wall_ns.set(self.wall_ns.get() + ns);
        self.boot_ns.set(self.boot_ns.get() + ns);
        let counted = ns * self.raw_per_us.get() + self.raw_rest.get();
        self.raw.set(self.raw.get().wrapping_add(counted / 1_000));
        self.raw_rest.set(counted % 1_000);
    }

    #[allow(clippy::unused_self, reason = "the world's ticks are the default layout's")]
    fn tick_at(&self, wall_ns: u64) -> u64 {
        Layout::DEFAULT.tick_at(Duration::from_nanos(wall_ns))
    }

    fn true_tick(&self) -> u64 {
        self.tick_at(self.wall_ns.get())
    }
}

impl Source for &World {
    fn raw(&self) -> u64 {
        self.raw.get()
    }

    fn ns_per_2_32_raw(&self) -> u64 {
        self.ns_per_2_32_raw.get()
    }

    fn wall(&self) -> Duration {
        self.wall_reads.set(self.wall_reads.get() + 1);
        let wall = Duration::from_nanos(self.wall_ns.get());
        let interruption = self.interruptions.borrow_mut().pop_front();
        self.pass(interruption.unwrap_or(30));
        wall
    }

    fn boot(&self) -> Duration {
        Duration::from_nanos(self.boot_ns.get())
    }
}

/// Lets `time_ms` pass in small steps, and demands that the clock is never further off than `slack` ticks and 1 µs.
fn follow(clock: &Anchored<&World>, world: &World, time_ms: u64, slack: u64) {
    const US: u64 = 1_000;
    for _ in 0..time_ms * 4 {
        // Odd steps, so that anchors fall anywhere in a tick.
        world.pass(MS / 4 - 12_347);
        let earliest = world.tick_at(world.wall_ns.get().saturating_sub(US));
        let read = clock.now();
        let latest = world.tick_at(world.wall_ns.get() + US);
        assert!(
            (earliest - slack.min(earliest)..=latest + slack).contains(&read),
            "reads {read} at {latest}, with {} counts a µs",
            world.raw_per_us.get()
        );
    }
}

#[test]
fn reads_the_wall_clocks_ticks() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 10_000, 0);
}

#[test]
fn reads_the_wall_clock_ten_times_a_second_at_most() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    let before = world.wall_reads.get();
    follow(&clock, &world, 10_000, 0);
    // A renewal reads it once for the anchor and once for its caller.
    assert!(world.wall_reads.get() - before <= 2 * 101);
}

/// ferroid's `MonotonicClock`: never corrected.
#[test]
fn clock_corrected_by_an_hour_after_start() {
    for hour_ms in [3_600_000_i64, -3_600_000] {
        let world = World::new();
        let clock = Anchored::new(Layout::DEFAULT, &world);
        follow(&clock, &world, 1_000, 0);
        world.wall_ns.set(world.wall_ns.get().strict_add_signed(hour_ms * 1_000_000));
        world.pass(200 * MS);
        clock.now();
        follow(&clock, &world, 1_000, 0);
    }
}

#[test]
fn follows_within_the_greatest_age() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    world.wall_ns.set(world.wall_ns.get() + 3_600_000 * MS);
    world.pass(u64::try_from(MAX_AGE.as_nanos()).unwrap() + 1_000);
    assert_eq!(clock.now(), world.true_tick());
}

#[test]
fn survives_suspend_with_a_counter_that_stood_still() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 150, 0);
    world.wall_ns.set(world.wall_ns.get() + 3_600_000 * MS);
    world.boot_ns.set(world.boot_ns.get() + 3_600_000 * MS);
    // The counter goes on where it stopped: for the rest of the anchor's age it cannot know.
    world.pass(101 * MS);
    assert_eq!(clock.now(), world.true_tick());
    follow(&clock, &world, 2_000, 0);
}

#[test]
fn survives_suspend_with_a_counter_that_ran_on() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 150, 0);
    world.pass(3_600_000 * MS);
    assert_eq!(clock.now(), world.true_tick());
    follow(&clock, &world, 2_000, 0);
}

/// A renewal that finds an anchor just renewed, and is suspended before it reads, with a counter that stands still.
#[test]
fn survives_a_suspend_in_the_middle_of_a_renewal() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 150, 0);
    world.pass(101 * MS);
    clock.now();
    world.wall_ns.set(world.wall_ns.get() + 200 * MS);
    world.boot_ns.set(world.boot_ns.get() + 200 * MS);
    clock.renew_and_read();
    follow(&clock, &world, 2_000, 0);
}

#[test]
fn survives_a_counter_that_goes_back() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 150, 0);
    for back in [1, 1_000_000_000, world.raw.get() / 2] {
        world.raw.set(world.raw.get() - back);
        // At once, and not only when the anchor is old.
        follow(&clock, &world, 1_000, 0);
    }
    world.raw.set(0);
    follow(&clock, &world, 1_000, 0);
}

#[test]
fn survives_a_counter_that_wraps() {
    let world = World::new();
    world.raw.set(u64::MAX - 1_000);
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 1_000, 0);
}

/// As on a machine migrated to a host with another frequency.
#[test]
fn measures_a_changed_rate_anew() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 1_000, 0);
    world.raw_per_us.set(3_400);
    // Up to one age at the old rate, which is 31 % wrong; then it has been measured.
    follow(&clock, &world, 210, 32);
    follow(&clock, &world, 5_000, 0);
}

#[test]
fn a_wrong_calibration_is_corrected() {
    let world = World::new();
    world.ns_per_2_32_raw.set(world.ns_per_2_32_raw.get() * 11 / 10);
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 200, 11);
    follow(&clock, &world, 5_000, 0);
}

#[test]
fn a_rate_far_off_is_measured_too() {
    for raw_per_us in [1_100, 1_700, 8_000, 25_000] {
        let world = World::new();
        let clock = Anchored::new(Layout::DEFAULT, &world);
        follow(&clock, &world, 1_000, 0);
        world.raw_per_us.set(raw_per_us);
        for _ in 0..40_000 {
            world.pass(MS / 4);
            clock.now();
        }
        follow(&clock, &world, 2_000, 0);
    }
}

/// A suspend of half a second within an idle time, over which the counter stood still: no rate can be told from that.
#[test]
fn survives_a_short_suspend_while_idle() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 150, 0);
    world.wall_ns.set(world.wall_ns.get() + 500 * MS);
    world.boot_ns.set(world.boot_ns.get() + 500 * MS);
    world.pass(700 * MS);
    follow(&clock, &world, 2_000, 0);
}

/// The same, in a span that an idle second would not have filled.
#[test]
fn survives_a_suspend_of_most_of_a_second() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 150, 0);
    world.wall_ns.set(world.wall_ns.get() + 800 * MS);
    world.boot_ns.set(world.boot_ns.get() + 800 * MS);
    world.pass(110 * MS);
    follow(&clock, &world, 2_000, 0);
}

#[test]
fn reads_zero_up_to_the_epoch_and_starts_on_time() {
    let world = World::new();
    world.wall_ns.set(u64::try_from(EPOCH.as_nanos()).unwrap() - 250 * MS);
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 500, 0);
    assert!(world.true_tick() > 200);
}

#[test]
fn a_wall_clock_of_1970_reads_zero() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 1_000, 0);
    world.wall_ns.set(0);
    world.pass(101 * MS);
    follow(&clock, &world, 1_000, 0);
    assert_eq!(clock.now(), 0);
}

/// Preempted in the middle of its readings, it tries again: the anchor is not off by the interruption.
#[test]
fn an_interrupted_renewal_reads_again() {
    let world = World::new();
    let clock = Anchored::new(Layout::DEFAULT, &world);
    follow(&clock, &world, 1_000, 0);
    world.interruptions.borrow_mut().extend([7 * MS, 7 * MS]);
    follow(&clock, &world, 150, 0);
    assert!(world.interruptions.borrow().is_empty(), "the renewal was interrupted");
    follow(&clock, &world, 1_000, 0);
}

#[test]
fn every_tick_length_is_followed() {
    for tick in
        [Duration::from_nanos(1), Duration::from_micros(7), Duration::from_secs(1), Duration::from_nanos(u64::MAX)]
    {
        let layout = Layout::constant(62, 0, 1).with_tick(tick).unwrap();
        let world = World::new();
        let clock = Anchored::new(layout, &world);
        for _ in 0..3_000 {
            world.pass(MS / 7);
            let begin = layout.time_of(clock.now());
            // Within a µs, or the tick that this µs may have ended.
            let wall = Duration::from_nanos(world.wall_ns.get());
            assert!(wall.saturating_sub(begin) <= tick + Duration::from_micros(1), "{tick:?}: {begin:?} at {wall:?}");
            assert!(begin <= wall + Duration::from_micros(1), "{tick:?}: {begin:?} at {wall:?}");
        }
    }
}
