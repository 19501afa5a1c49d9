//! The rule against the oracle, without atomics: every history over tiny layouts, and the edges of the widest.

extern crate std;

use std::{collections::HashSet, vec, vec::Vec};

use super::{Grant, Rule};
use crate::{Layout, Refusal};

#[path = "../../tests/oracle/mod.rs"]
mod oracle;

use oracle::{No, Oracle, Run};

const TINY: [(u8, u8, u8); 8] =
    [(2, 1, 1), (3, 0, 1), (2, 0, 2), (3, 0, 0), (1, 0, 3), (1, 2, 0), (3, 1, 2), (4, 0, 1)];

/// Both have the same settings and the same history.
#[derive(Clone)]
struct Pair {
    rule: Rule,
    next: u64,
    oracle: Oracle,
}

impl Pair {
    fn new(layout: Layout, lead: u32, tolerance: u32, spread_bits: u8) -> Self {
        Self {
            rule: Rule::new(layout).with_lead(lead).with_tolerance(tolerance).with_spread(spread_bits),
            next: 0,
            oracle: Oracle::new(layout.time_bits, layout.sequence_bits, lead.into(), tolerance.into()),
        }
    }

    fn raise(&mut self, tick: u64) {
        self.next = self.next.max(self.rule.layout.word(tick));
        self.oracle.raise(tick);
    }

    /// One step of both, which must agree; the state stays as it was if they refuse.
    fn take(&mut self, now: u64, until: u64, n: u64) {
        let offset = if (1..=self.rule.layout.last_tick()).contains(&now) { self.rule.spread(now) } else { 0 };
        let said = self.rule.decide(self.next, now, until, n);
        let right = self.oracle.take(now, offset, until, n).map(|runs| words(self.rule.layout, &runs));
        assert_eq!(said.map_err(no), right, "{:?} next {} now {now} until {until} n {n}", self.rule, self.next);

        let hot = self.rule.grant(self.next, now, until, n);
        match said {
            Ok(grant) => {
                // The hot path leaves only what lies ahead of the clock to the cold one.
                let ahead = self.rule.layout.tick_of(grant.start) > now + self.rule.lead();
                assert_eq!(hot, if ahead { None } else { Some(grant) });
                assert!(grant.start >= self.next && grant.start < grant.end);
                self.next = grant.end;
            }
            Err(_) => assert_eq!(hot, None),
        }
    }
}

/// The runs of a grant join up to one range of words.
fn words(layout: Layout, runs: &[Run]) -> Grant {
    let word = |tick: u64, sequence: u64| tick * layout.ids_per_tick() + sequence;
    let (first, last) = (runs[0], runs[runs.len() - 1]);
    let count: u64 = runs.iter().map(|run| run.last - run.first + 1).sum();
    let grant = Grant { start: word(first.tick, first.first), end: word(last.tick, last.last) + 1 };
    assert_eq!(grant.end - grant.start, count);
    grant
}

fn no(refusal: Refusal) -> No {
    match refusal {
        Refusal::BeforeEpoch => No::BeforeEpoch,
        Refusal::Exhausted => No::Exhausted,
        Refusal::NotLeased => No::NotLeased,
        Refusal::ClockBehind { ticks } => No::ClockBehind { ticks },
        Refusal::TickFull { ticks } => No::TickFull { ticks },
    }
}

/// Walks through every state that rule and oracle can be in together, and tries every step in each: since
/// neither remembers more than this, these are the histories of every length.
fn walk_every_history(start: &Pair) -> usize {
    let end = start.rule.layout.end_tick();
    let mut seen = HashSet::new();
    let mut open = vec![start.clone()];
    while let Some(pair) = open.pop() {
        if !seen.insert((pair.next, pair.oracle.last())) {
            continue;
        }
        for tick in 0..=end {
            let mut raised = pair.clone();
            raised.raise(tick);
            open.push(raised);
        }
        for (now, until) in (0..=end + 1).flat_map(|now| (0..=end).map(move |until| (now, until))) {
            for n in 1..=3 {
                let mut moved = pair.clone();
                moved.take(now, until, n);
                open.push(moved);
            }
        }
    }
    seen.len()
}

#[test]
fn every_history_over_tiny_layouts_agrees_with_the_oracle() {
    for (time, node, sequence) in TINY {
        let layout = Layout::constant(time, node, sequence);
        for (lead, tolerance) in (0..3).flat_map(|lead| (0..3).map(move |tolerance| (lead, tolerance))) {
            for spread_bits in 0..=sequence {
                let states = walk_every_history(&Pair::new(layout, lead, tolerance, spread_bits));
                // Every word from the first of tick 1 to the end has been the next one, unless the spread hides it.
                let reachable = layout.end_word() - layout.word(1);
                assert!(spread_bits > 0 || states as u64 >= reachable, "{layout:?}: only {states} states");
            }
        }
    }
}

#[test]
fn the_edges_of_the_widest_layouts_agree_with_the_oracle() {
    for (time, node, sequence) in [(63, 0, 0), (62, 0, 1), (1, 0, 62), (1, 62, 0), (41, 22, 0), (41, 10, 12)] {
        let layout = Layout::constant(time, node, sequence);
        let (last, end) = (layout.last_tick(), layout.end_tick());
        let readings = [0, 1, 2, last / 2, last - 1, last, end, end + 1, u64::MAX];
        for (lead, tolerance) in [(0, 0), (1, 0), (0, 1), (0, u32::MAX), (u32::MAX, 0), (u32::MAX, u32::MAX)] {
            // The oracle walks tick by tick: no endless batch with the longest lead.
            let batches: &[u64] = if lead > 1 { &[1, 2, 3] } else { &[1, 2, 3, u64::MAX] };
            for (now, until, n) in cross(&readings, &[0, 1, 2, last, end], batches) {
                for raise in [0, 1, 2, last - 1, last, end] {
                    let mut pair = Pair::new(layout, lead, tolerance, 0);
                    pair.raise(raise);
                    pair.take(now, until, n);
                    pair.take(now, until, n);
                    pair.take(now.saturating_sub(1), end, n);
                }
            }
        }
    }
}

fn cross(a: &[u64], b: &[u64], c: &[u64]) -> Vec<(u64, u64, u64)> {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b)));
    pairs.flat_map(|(a, b)| c.iter().map(move |c| (a, b, *c))).collect()
}

#[test]
fn the_spread_stays_below_its_bits_for_every_tick() {
    for sequence_bits in [0, 1, 4, 12, 31, 32, 40] {
        let layout = Layout::constant(20, 0, sequence_bits);
        for asked in [0, 1, 3, 4, 11, 12, 31, 32, 33, 63, 255] {
            let rule = Rule::new(layout).with_spread(asked);
            let bound = 1_u64 << asked.min(sequence_bits).min(32);
            for now in (1..5_000).chain([layout.last_tick() - 1, layout.last_tick()]) {
                assert!(rule.spread(now) < bound, "{asked} bits of {sequence_bits}: {} at {now}", rule.spread(now));
            }
        }
    }
}

#[test]
fn the_spread_reaches_every_number_below_its_bits() {
    let layout = Layout::constant(41, 10, 12);
    for bits in 0..=12 {
        let rule = Rule::new(layout).with_spread(bits);
        let seen: HashSet<u64> = (1..100_000).map(|now| rule.spread(now)).collect();
        assert_eq!(seen.len(), 1 << bits);
    }
}
