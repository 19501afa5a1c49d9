//! Waiting for a tick: sleep most of it, spin the last stretch.

use std::{hint::spin_loop, thread, time::Duration};

use monoflake_core::{Clock, Layout};

use crate::wall::{Stopwatch, wall};

/// What is left to spin. A sleep ends some 50 µs late (the kernel's default timer slack), and an id late is an
/// id lost: the tick's sequence starts anew.
const SPIN: Duration = Duration::from_micros(120);

/// Bounds the spinning also where the monotonic clock stands still, as under a debugger or a faked clock.
const SPINS: u32 = 1 << 20;

/// No wait is longer than this, or than two ticks if they are longer: the clock may have been set back far since the
/// caller read it.
const LONGEST: Duration = Duration::from_secs(1);

/// Waits until `clock` reads at least `tick`; false if it does not in the time that should have taken it
/// there from `now`, and a little more for clocks whose rates differ a little.
pub(crate) fn wait_for(clock: &impl Clock, layout: Layout, now: u64, tick: u64) -> bool {
    let begin = layout.time_of(tick);
    let longest = begin.saturating_sub(layout.time_of(now)).min(LONGEST.max(layout.tick().saturating_mul(2)));
    let longest = longest.saturating_add(SPIN);
    let start = Stopwatch::start();
    let mut slept = Duration::ZERO;
    for _ in 0..SPINS {
        // Also what was slept: the monotonic clock may stand still as well.
        let left = longest.saturating_sub(start.elapsed().max(slept));
        if clock.now() >= tick {
            return true;
        }
        if left.is_zero() {
            return false;
        }
        let sleep = begin.saturating_sub(wall()).min(left).saturating_sub(SPIN);
        if sleep.is_zero() {
            spin_loop();
        } else {
            thread::sleep(sleep);
            slept += sleep;
        }
    }
    false
}

#[cfg(all(test, not(monoflake_loom)))]
mod tests {
    use std::cell::Cell;

    use monoflake_core::ManualClock;

    use super::*;
    use crate::SystemClock;

    const LAYOUT: Layout = Layout::DEFAULT;

    /// aeron-io/agrona 335: the caller spins for ever.
    #[test]
    fn stopped_clock_is_given_up() {
        let stopped = ManualClock::new(1_000);
        assert!(!wait_for(&stopped, LAYOUT, 1_000, 1_003));
    }

    /// The clock was set back by a minute after the caller had read it.
    #[test]
    fn a_clock_set_back_far_is_given_up() {
        let now = SystemClock::new(LAYOUT).now();
        let start = Stopwatch::start();
        assert!(!wait_for(&ManualClock::new(now), LAYOUT, now, now + 60_000));
        // No measure of speed: the minute was not waited for.
        assert!(start.elapsed() < Duration::from_secs(50));
    }

    /// A caller that is kept from running right after it has read the clock.
    struct Preempted(Cell<u32>);

    impl Clock for Preempted {
        fn now(&self) -> u64 {
            self.0.set(self.0.get() + 1);
            match self.0.get() {
                1 => {
                    thread::sleep(Duration::from_millis(5));
                    1_000
                }
                _ => 1_002,
            }
        }
    }

    #[test]
    fn a_stale_reading_is_no_reason_to_give_up() {
        assert!(wait_for(&Preempted(Cell::new(0)), LAYOUT, 1_000, 1_002));
    }

    #[test]
    fn a_tick_that_has_come_is_not_waited_for() {
        let stopped = ManualClock::new(1_000);
        assert!(wait_for(&stopped, LAYOUT, 1_000, 1_000));
        assert!(wait_for(&stopped, LAYOUT, 1_000, 1));
    }

    #[test]
    fn the_next_ticks_come() {
        let clock = SystemClock::new(LAYOUT);
        for ahead in [1, 2, 3] {
            let now = clock.now();
            let tick = now + ahead;
            // Gives up only if the wall clock is set back or slewed meanwhile.
            assert!(wait_for(&clock, LAYOUT, now, tick));
            assert!(clock.now() >= tick);
        }
    }
}
