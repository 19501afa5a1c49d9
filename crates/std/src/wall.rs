//! The operating system's clocks: the only place where they are read.
#![allow(clippy::disallowed_methods, reason = "this is the file that the lint sends everybody to")]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The wall clock: since the Unix epoch; zero before it.
#[inline]
pub(crate) fn wall() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)
}

/// The time since boot, suspend included; nobody sets it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn boot() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time since the first call, where the system has no clock that counts suspend too.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn boot() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Measures how long something takes; monotonic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
