//! The rule: which words may be given out next. A pure function of four numbers, without atomics.
//!
//! ```text
//! start = max(next, word(now) + spread(now))
//! limit = min(word(until), word(now + 1 + lead))
//! start < limit                                        ->  start .. min(start + n, limit)
//! else the last id is at most lead + tolerance ahead   ->  start .. min(start + n, the end of its tick)
//! else, or if that is empty                            ->  why not
//! ```
//!
//! A word is `tick << sequence_bits | sequence`. In the first line that grants, a new tick, the next
//! sequence number, a full sequence (the carry runs into the tick), a batch and a lease that begins above the clock
//! are the same case. The others are for a clock that has stepped back, or are refusals: off the hot path.
//!
//! Invariants kept here: I1 (`start >= next`), I2 (`end <= word(until)`), I5 (no word reaches
//! `word(end_tick)`), I8 (nothing is written). No sum or shift wraps: `now` is inside the time
//! field before it is shifted, and `lead` is bounded by the field when it is set.

use core::hint::cold_path;

use crate::{Layout, Refusal};

/// Words `start..end`, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The numbers of the rule that stay the same from call to call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) layout: Layout,
    /// Ticks that ids may run ahead of the clock; below the end of the time field.
    lead: u32,
    /// Ticks that the clock may fall behind the last id; below the end of the time field.
    tolerance: u32,
    /// Bits of a new tick's first sequence number that are a hash of the tick.
    spread_bits: u8,
}

impl Rule {
    pub(crate) const fn new(layout: Layout) -> Self {
        Self { layout, lead: 0, tolerance: 0, spread_bits: 0 }.with_tolerance(layout.ticks_in_ms(5))
    }

    /// More ticks than the time field has are as good as all of it.
    pub(crate) const fn with_lead(mut self, ticks: u32) -> Self {
        self.lead = self.layout.saturate(ticks);
        self
    }

    pub(crate) const fn with_tolerance(mut self, ticks: u32) -> Self {
        self.tolerance = self.layout.saturate(ticks);
        self
    }

    /// More bits than the sequence has are as good as all of it.
    pub(crate) const fn with_spread(mut self, bits: u8) -> Self {
        let most = if self.layout.sequence_bits < 32 { self.layout.sequence_bits } else { 32 };
        self.spread_bits = if bits < most { bits } else { most };
        self
    }

    pub(crate) const fn lead(&self) -> u64 {
        self.lead as u64
    }

    /// The longest that a call may wait, in ticks.
    pub(crate) const fn patience(&self) -> u64 {
        self.tolerance as u64 + self.lead as u64 + 1
    }

    /// The words that may be given out at once, if any.
    #[inline(always)]
    pub(crate) fn grant(&self, next: u64, now: u64, until: u64, n: u64) -> Option<Grant> {
        if now.wrapping_sub(1) >= self.layout.last_tick() {
            return None; // before the epoch, or past the time field: also keeps the shifts below from wrapping
        }
        // Branches and not conditional moves: predicted, they keep the clock and the layout out of
        // the way from the load of `next` to the exchange.
        let floor = self.floor(now);
        let start = if next < floor {
            cold_path();
            floor
        } else {
            next
        };
        if start >= self.layout.word(until) || start >= self.layout.word(now + 1 + self.lead()) {
            return None;
        }
        let left = if n == 1 { 1 } else { self.limit(now, until) - start };
        Some(Grant { start, end: start + if n < left { n } else { left } })
    }

    /// What [`grant`](Self::grant) says, and the tolerance for small steps back; if neither yields anything, why. `now`
    /// must have been read after `next` was, or a preempted caller takes others' progress for a step of the clock.
    pub(crate) fn decide(&self, next: u64, now: u64, until: u64, n: u64) -> Result<Grant, Refusal> {
        if let Some(grant) = self.grant(next, now, until, n) {
            return Ok(grant);
        }
        if now == 0 {
            return Err(Refusal::BeforeEpoch);
        }
        if now > self.layout.last_tick() || next >= self.layout.end_word() {
            return Err(Refusal::Exhausted);
        }
        if next.max(self.floor(now)) >= self.layout.word(until) {
            return Err(Refusal::NotLeased);
        }
        // What remains is `next >= word(now + 1 + lead)`: the ids are ahead of the clock.
        let last_id_tick = self.layout.tick_of(next - 1);
        let behind = last_id_tick - now;
        if behind > self.lead() + u64::from(self.tolerance) {
            return Err(Refusal::ClockBehind { ticks: behind });
        }
        let tick_end = self.layout.word(last_id_tick + 1);
        if next < tick_end {
            return Ok(Grant { start: next, end: tick_end.min(next.saturating_add(n)) });
        }
        Err(Refusal::TickFull { ticks: behind + 1 - self.lead() })
    }

    #[inline(always)]
    fn limit(&self, now: u64, until: u64) -> u64 {
        self.layout.word(until).min(self.layout.word(now + 1 + self.lead()))
    }

    /// The first word of tick `now`: its sequence starts at 0, or spread by a hash of the tick.
    #[inline(always)]
    fn floor(&self, now: u64) -> u64 {
        self.layout.word(now) + self.spread(now)
    }

    /// Fibonacci hashing: the high bits of the tick times 2^32 / golden ratio
    /// (Knuth, The Art of Computer Programming 3, 6.4). 32 bits wide, so that a Cortex-M0 has it as
    /// one instruction.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the low 32 bits of a tick are what changes")]
    fn spread(&self, now: u64) -> u64 {
        if self.spread_bits == 0 {
            return 0;
        }
        cold_path();
        u64::from((now as u32).wrapping_mul(0x9E37_79B9) >> (32 - self.spread_bits))
    }
}

#[cfg(test)]
mod tests;
