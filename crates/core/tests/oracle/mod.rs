//! The oracle: what may be given out, decided from a plain list of what was.
//!
//! It speaks of pairs `(tick, sequence)` in plain numbers and uses none of the crate's types, so that it shares no
//! mistake with the rule under test: no word, no carry, no shift that could wrap. A tick's sequence numbers are
//! kept as runs only because the widest layouts have 2^62 of them.
#![allow(dead_code, reason = "each test uses a part of it")]

extern crate std;

use std::vec::Vec;

/// The sequence numbers `first..=last` of one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Run {
    pub(crate) tick: u64,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// Why nothing is given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum No {
    BeforeEpoch,
    Exhausted,
    NotLeased,
    ClockBehind { ticks: u64 },
    TickFull { ticks: u64 },
}

#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    last_tick: u64,
    last_sequence: u64,
    pub(crate) lead: u64,
    pub(crate) tolerance: u64,
    /// Everything given out so far, in order.
    given: Vec<Run>,
    /// Ticks below which nothing may be given out any more.
    raised: Vec<u64>,
}

impl Oracle {
    pub(crate) fn new(time_bits: u8, sequence_bits: u8, lead: u64, tolerance: u64) -> Self {
        let largest = |bits: u8| (0..bits).fold(0, |number: u64, _| number * 2 + 1);
        Self {
            last_tick: largest(time_bits),
            last_sequence: largest(sequence_bits),
            lead,
            tolerance,
            given: Vec::new(),
            raised: Vec::new(),
        }
    }

    /// The greatest pair that is gone: given out, or below a raise.
    pub(crate) fn last(&self) -> Option<(u64, u64)> {
        let given = self.given.iter().map(|run| (run.tick, run.last));
        let raised = self.raised.iter().filter(|tick| **tick > 0).map(|tick| (tick - 1, self.last_sequence));
        given.chain(raised).max()
    }

    /// Bars every tick below this one.
    pub(crate) fn raise(&mut self, tick: u64) {
        self.raised.push(tick);
    }

    /// Bars every tick below `horizon`; says which tick is the first that was not begun before.
    pub(crate) fn retire(&mut self, horizon: u64) -> u64 {
        let first_unused = self.last().map_or(0, |(tick, _)| tick + 1);
        self.raise(horizon);
        first_unused
    }

    /// Up to `n` pairs for a clock that reads `now`, within a window that ends before `until`; a new tick
    /// starts at sequence `offset`.
    pub(crate) fn take(&mut self, now: u64, offset: u64, until: u64, n: u64) -> Result<Vec<Run>, No> {
        let last = self.last();
        let first = last.map_or((now, offset), |last| self.after(last).max((now, offset)));
        if now == 0 {
            return Err(No::BeforeEpoch);
        }
        if now > self.last_tick || first.0 > self.last_tick {
            return Err(No::Exhausted);
        }
        if first.0 >= until {
            return Err(No::NotLeased);
        }
        let ahead_at_most = u128::from(now) + u128::from(self.lead);
        let clock_allows = |tick: u64| u128::from(tick) <= ahead_at_most;
        if clock_allows(first.0) {
            return Ok(self.give(first, n, |tick| tick < until && clock_allows(tick)));
        }
        let (last_id_tick, _) = last.expect("only what is gone can lie ahead of the clock");
        let behind = last_id_tick - now;
        if u128::from(behind) > u128::from(self.lead) + u128::from(self.tolerance) {
            return Err(No::ClockBehind { ticks: behind });
        }
        if first.0 == last_id_tick {
            return Ok(self.give(first, n, |tick| tick == last_id_tick));
        }
        // The least reading of the clock that allows the first free pair, and how far off it is.
        Err(No::TickFull { ticks: first.0 - self.lead - now })
    }

    fn after(&self, (tick, sequence): (u64, u64)) -> (u64, u64) {
        if sequence < self.last_sequence { (tick, sequence + 1) } else { (tick + 1, 0) }
    }

    /// Gives out up to `n` pairs from `first` on, through all ticks that are allowed.
    fn give(&mut self, first: (u64, u64), n: u64, allowed: impl Fn(u64) -> bool) -> Vec<Run> {
        let (mut tick, mut sequence) = first;
        let mut left = n;
        let mut runs = Vec::new();
        while left > 0 && allowed(tick) && tick <= self.last_tick {
            let count = left.min(self.last_sequence - sequence + 1);
            runs.push(Run { tick, first: sequence, last: sequence + count - 1 });
            left -= count;
            tick += 1;
            sequence = 0;
        }
        for run in &runs {
            let twice = |old: &Run| old.tick == run.tick && old.first <= run.last && run.first <= old.last;
            assert!(!self.given.iter().any(twice), "the oracle gave out {run:?} twice");
        }
        self.given.extend(&runs);
        runs
    }
}
