//! Waiting for a tick: sleep most of it, spin the last stretch.

use std::{hint::spin_loop, thread, time::Duration};

use monoflake_core::{Clock, Layout};

use crate::wall::{Stopwatch, wall};

/// What is left to spin. A sleep ends some 50 µs late (the kernel's default timer slack), and an id late is an
/// id lost: the tick's sequence starts anew.
const SPIN: Duration = Duration::from_micros(120);

/// Bounds the spinning also where the monotonic clock stands still, as under a debugger or a faked clock.
const SPINS: u32 = 1 << 20;

/// Waits until `clock` reads at least `tick`; false if it does not after the time that should have taken it
/// there, and `grace`.
pub(crate) fn wait_for(clock: &impl Clock, layout: Layout, tick: u64, grace: Duration) -> bool {
    let start = Stopwatch::start();
    let begin = layout.time_of(tick);
    let longest = begin.saturating_sub(layout.time_of(clock.now())).saturating_add(grace);
    for _ in 0..SPINS {
        if clock.now() >= tick {
            return true;
        }
        let left = longest.saturating_sub(start.elapsed());
        if left.is_zero() {
            return false;
        }
        let sleep = begin.saturating_sub(wall()).min(left).saturating_sub(SPIN);
        if sleep.is_zero() {
            spin_loop();
        } else {
            thread::sleep(sleep);
        }
    }
    false
}
