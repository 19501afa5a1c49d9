//! A fast counter tied to the wall clock, over any [`Source`] of the readings that takes.
//!
//! ```text
//! now = tick + (fraction + (raw - anchor.raw) * scale) >> shift      while the anchor is young
//! ```
//!
//! Between two readings of the wall clock, at most [`MAX_AGE`] apart, time is counted by the counter alone. So
//! the clock follows the wall clock within that time, whatever made them differ: a correction, a suspend,
//! a wrong frequency, a counter that went back. A small correction backwards vanishes in the generator's
//! `max(last, now)`. The caller who finds the anchor too old renews it: there is no thread.

use std::time::Duration;

use monoflake_core::Layout;

use crate::anchor::{Anchor, Fix};

/// The longest that the counter is trusted alone.
pub(crate) const MAX_AGE: Duration = Duration::from_millis(100);

/// The counter's rate is measured over spans of this many ns, a tenth to two and a half times [`MAX_AGE`]: a shorter one
/// is inexact, a longer one may hide a suspend. So a counter may be ten times faster than
/// calibrated, or two and a half times slower.
const SPAN_NS: std::ops::RangeInclusive<u64> = 10_000_000..=250_000_000;

/// Readings within this part of [`MAX_AGE`] of each other, 5 µs, were not interrupted.
const TIGHT: u64 = 20_000;

/// How often the three readings are tried, for a time when the thread is not interrupted between them.
const READINGS: u32 = 4;

/// Where the readings come from.
pub(crate) trait Source {
    /// A counter that is cheap to read; its zero and its rate are its own.
    fn raw(&self) -> u64;
    /// The counter's rate, roughly: how many ns 2^32 counts take.
    fn ns_per_2_32_raw(&self) -> u64;
    /// The wall clock, since the Unix epoch.
    fn wall(&self) -> Duration;
    /// Since boot, suspend included.
    fn boot(&self) -> Duration;
}

/// The fields are few and narrow so that a generator with this clock is 256 bytes: of the layout, only what a tick is.
#[derive(Debug)]
pub(crate) struct Anchored<S> {
    anchor: Anchor,
    source: S,
    epoch_ms: u64,
    tick_ns: u64,
    max_age_raw: u32,
    shift: u8,
}

/// The three readings, taken as one.
struct Reading {
    raw: u64,
    wall: Duration,
    boot_ns: u64,
    /// Counts between the first and the last.
    width_raw: u64,
}

impl<S: Source> Anchored<S> {
    pub(crate) fn new(layout: Layout, source: S) -> Self {
        let max_age_ns = MAX_AGE.as_nanos();
        let max_age_raw = (max_age_ns << 32) / u128::from(source.ns_per_2_32_raw().max(1));
        // The longest span, at the shortest age, measures a scale of at most two and a half times the expected one; four bits
        // are left for that. All ticks of an anchor's age at that scale, and the fraction of one, stay below 2^63.
        let ticks = max_age_ns / layout.tick().as_nanos() + 1;
        let shift = u8::try_from(59 - (u128::BITS - ticks.leading_zeros())).unwrap_or(0);
        // Never young: the first call renews it.
        let never = Fix { raw: source.raw().wrapping_sub(1 << 63), tick: 0, fraction: 0, scale: 0, boot_ns: 0 };
        Self {
            anchor: Anchor::new(never),
            source,
            epoch_ms: layout.epoch_ms(),
            tick_ns: u64::try_from(layout.tick().as_nanos()).unwrap_or(u64::MAX),
            max_age_raw: u32::try_from(max_age_raw).unwrap_or(u32::MAX),
            shift,
        }
    }

    /// A layout of the same ticks; how wide its fields are is no business of a clock.
    pub(crate) fn layout(&self) -> Layout {
        let layout = Layout::constant(63, 0, 0).with_epoch_ms(self.epoch_ms);
        // Another layout had this tick, so it is a possible one.
        layout.with_tick(Duration::from_nanos(self.tick_ns)).unwrap_or(layout)
    }

    pub(crate) fn source(&self) -> &S {
        &self.source
    }

    #[inline(always)]
    pub(crate) fn now(&self) -> u64 {
        if let Some((fix, _)) = self.anchor.load() {
            // A counter behind the anchor's is one that went back: it wraps to a great age.
            let age_raw = self.source.raw().wrapping_sub(fix.raw);
            if age_raw <= u64::from(self.max_age_raw) {
                return fix.tick + ((fix.fraction + age_raw * fix.scale) >> self.shift);
            }
        }
        self.renew_and_read()
    }

    #[cold]
    #[inline(never)]
    fn renew_and_read(&self) -> u64 {
        if let Some((before, version)) = self.anchor.load()
            && let Some(fix) = self.renew(before)
        {
            self.anchor.publish(version, fix);
        }
        self.split(self.source.wall()).map_or(0, |(tick, _)| tick)
    }

    /// The fix of this moment; none at or before the epoch, when every call must see for itself whether it has passed.
    fn renew(&self, before: Fix) -> Option<Fix> {
        let reading = self.read();
        let (tick, fraction) = self.split(reading.wall)?;
        let scale = self.measured(before, &reading).unwrap_or(before.scale);
        let scale = if scale == 0 { self.expected_scale() } else { scale };
        Some(Fix { raw: reading.raw, tick, fraction, scale, boot_ns: reading.boot_ns })
    }

    /// The readings of the least interrupted of a few tries.
    fn read(&self) -> Reading {
        let tight_raw = u64::from(self.max_age_raw) / TIGHT;
        let mut best = self.read_once();
        for _ in 1..READINGS {
            if best.width_raw <= tight_raw {
                break;
            }
            let again = self.read_once();
            if again.width_raw < best.width_raw {
                best = again;
            }
        }
        best
    }

    fn read_once(&self) -> Reading {
        let before = self.source.raw();
        let wall = self.source.wall();
        let boot = self.source.boot();
        let width_raw = self.source.raw().wrapping_sub(before);
        let boot_ns = u64::try_from(boot.as_nanos()).unwrap_or(u64::MAX);
        Reading { raw: before.wrapping_add(width_raw / 2), wall, boot_ns, width_raw }
    }

    /// A time as tick and fraction of a tick; none at or before the epoch.
    fn split(&self, wall: Duration) -> Option<(u64, u64)> {
        // Far past every time field, and far enough from the end of u64 for the sum in `now`.
        let layout = self.layout();
        let tick = layout.tick_at(wall).min(u64::MAX / 2);
        let into = wall.saturating_sub(layout.time_of(tick)).min(layout.tick());
        let fraction = (into.as_nanos() << self.shift) / u128::from(self.tick_ns);
        (tick > 0).then_some((tick, u64::try_from(fraction).unwrap_or(0)))
    }

    /// The counter's rate since the fix before, where the span tells it: not if the counter has hardly moved, since
    /// another call had just renewed, or it stood still.
    fn measured(&self, before: Fix, reading: &Reading) -> Option<u64> {
        let span_ns = reading.boot_ns.checked_sub(before.boot_ns).filter(|ns| SPAN_NS.contains(ns))?;
        let span_raw = reading.raw.checked_sub(before.raw).filter(|&raw| raw >= u64::from(self.max_age_raw))?;
        if reading.width_raw > u64::from(self.max_age_raw) / TIGHT {
            return None;
        }
        let scale = (u128::from(span_ns) << self.shift) / (u128::from(span_raw) * u128::from(self.tick_ns));
        u64::try_from(scale).ok()
    }

    fn expected_scale(&self) -> u64 {
        let ns = u128::from(self.source.ns_per_2_32_raw());
        u64::try_from((ns << self.shift >> 32) / u128::from(self.tick_ns)).unwrap_or(0)
    }
}

#[cfg(all(test, not(monoflake_loom)))]
mod tests;
