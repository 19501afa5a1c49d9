//! Time from the processor's own counter, through quanta.

use std::{sync::OnceLock, time::Duration};

use monoflake_core::{Clock, Layout};

use crate::{
    anchored::{Anchored, Source},
    wait::wait_for,
    wall::{boot, wall},
};

/// The default clock: the processor's time stamp counter, tied to the wall clock ten times a second.
///
/// A reading costs what reading the counter costs. It follows the wall clock within 0.1 s through corrections,
/// suspend, migration of the machine and a counter that goes back; it starts no thread. It is as true as
/// the wall clock is, to about a microsecond.
///
/// The first clock of a process spends up to 200 ms on quanta's calibration; a short-lived process is better off
/// with [`SystemClock`](crate::SystemClock).
///
/// ```
/// use monoflake::{Generator, Layout, TscClock};
///
/// let layout = Layout::DEFAULT;
/// let generator = Generator::new(layout.node(7)?, TscClock::new(layout));
/// let id = generator.next()?;
/// assert!(size_of_val(&generator) <= 256);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TscClock {
    anchored: Anchored<Os>,
}

impl TscClock {
    /// A clock that counts the ticks of this layout.
    pub fn new(layout: Layout) -> Self {
        Self { anchored: Anchored::new(layout, Os::new()) }
    }

    /// Whether there is a counter to read: an invariant TSC on `x86_64`, the system counter on `aarch64`.
    ///
    /// A counter of exactly 1 GHz looks like none. Where there is none, the clock reads the operating system's monotonic clock in its place: as
    /// right, and as slow as [`SystemClock`](crate::SystemClock).
    pub fn has_counter(&self) -> bool {
        // quanta does not tell; but only its fallback counts exactly one a nanosecond.
        self.anchored.source().ns_per_2_32_raw() != 1 << 32
    }
}

impl Clock for TscClock {
    #[inline]
    fn now(&self) -> u64 {
        self.anchored.now()
    }

    fn wait(&self, tick: u64) -> bool {
        wait_for(self, self.anchored.layout(), self.now(), tick)
    }
}

/// quanta's counter and the operating system's clocks.
#[derive(Debug)]
struct Os {
    counter: &'static quanta::Clock,
}

impl Os {
    fn new() -> Self {
        static COUNTER: OnceLock<quanta::Clock> = OnceLock::new();
        Self { counter: COUNTER.get_or_init(quanta::Clock::new) }
    }
}

impl Source for Os {
    #[inline(always)]
    #[allow(clippy::disallowed_methods, reason = "this is the place that the lint sends everybody to")]
    fn raw(&self) -> u64 {
        self.counter.raw()
    }

    fn ns_per_2_32_raw(&self) -> u64 {
        self.counter.delta_as_nanos(0, 1 << 32)
    }

    fn wall(&self) -> Duration {
        wall()
    }

    fn boot(&self) -> Duration {
        boot()
    }
}
