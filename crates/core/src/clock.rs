//! The clock: where ticks come from. The generator is safe with any clock; a better one makes its ids' time true.

use crate::sync::{AtomicU64, Ordering, const_unless_loom, spin_loop};

/// Ticks since the layout's epoch.
///
/// An implementation MUST
///
/// 1. return 0 at or before the epoch, and while the time is not known;
/// 2. neither block nor panic in [`now`](Self::now);
/// 3. return from [`wait`](Self::wait) in bounded time, also if it is itself standing still.
///
/// It MAY stand still, jump, step back, and differ between threads: no id is ever made twice for that.
///
/// ```
/// use monoflake_core::Clock;
///
/// /// Seconds counted by an interrupt since a time that was read from an RTC at boot.
/// struct Rtc { boot: u64, seconds: core::sync::atomic::AtomicU32 }
///
/// impl Clock for Rtc {
///     fn now(&self) -> u64 {
///         self.boot + u64::from(self.seconds.load(core::sync::atomic::Ordering::Relaxed))
///     }
/// }
/// ```
pub trait Clock {
    /// Ticks since the epoch; 0 at or before it.
    fn now(&self) -> u64;

    /// Lets time pass until [`now`](Self::now) has reached `tick`; false if it gave up before.
    ///
    /// The default reads the clock about a million times. A clock that can sleep should; one whose ticks are
    /// long must.
    fn wait(&self, tick: u64) -> bool {
        for _ in 0..SPINS {
            if self.now() >= tick {
                return true;
            }
            spin_loop();
        }
        false
    }
}

/// Some tens of milliseconds on a server core, seconds on a microcontroller.
#[cfg(not(monoflake_loom))]
const SPINS: u32 = 1 << 20;
#[cfg(monoflake_loom)]
const SPINS: u32 = 2;

impl<C: Clock + ?Sized> Clock for &C {
    #[inline]
    fn now(&self) -> u64 {
        (**self).now()
    }

    fn wait(&self, tick: u64) -> bool {
        (**self).wait(tick)
    }
}

/// A clock that stands where it was put: for tests, simulations, and ids of a given time.
///
/// It stands while it is waited for, too: [`Generator::next`](crate::Generator::next) on a full tick reads it a million times,
/// then refuses. In a test take [`try_next`](crate::Generator::try_next), and move the clock.
///
/// ```
/// use monoflake_core::{Clock, ManualClock};
///
/// let clock = ManualClock::new(1_000);
/// clock.set(1_005);
/// assert_eq!(clock.now(), 1_005);
/// ```
#[derive(Debug)]
pub struct ManualClock {
    tick: AtomicU64,
}

impl ManualClock {
    const_unless_loom! {
        /// A clock that reads `tick`.
        pub const fn new(tick: u64) -> Self {
            Self { tick: AtomicU64::new(tick) }
        }
    }

    /// Moves the clock, in either direction.
    pub fn set(&self, tick: u64) {
        // Ordering: Relaxed. Readers may see it late, as with every clock.
        self.tick.store(tick, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> u64 {
        // Ordering: Relaxed, see `set`.
        self.tick.load(Ordering::Relaxed)
    }
}
