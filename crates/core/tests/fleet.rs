//! A fleet in one process: 1024 nodes, each with a clock of its own that is off by up to 5 ms, drifts and steps.
//!
//! All ids are distinct, and sorted by id they are nearly in the order of the true time they were made at: an id's tick
//! is off by no more than its clock was, so two ids are out of order by no more than the clocks differ, and a tick.
//!
//! In release builds only: `cargo test --release -p monoflake-core --test fleet -- --nocapture`.
#![cfg(not(debug_assertions))]
#![allow(clippy::disallowed_methods, reason = "the rate is printed, and nothing depends on it")]

use std::{sync::Barrier, thread, time::Instant};

use monoflake_core::{Generator, Layout, ManualClock, Refusal};

const LAYOUT: Layout = Layout::DEFAULT;
const NODES: u64 = 1_024;
const THREADS: u64 = 2;
/// Milliseconds of true time that pass, from `BEGIN` on.
const TICKS: u64 = 1_000;
const BEGIN: u64 = 60_000_000_000;
/// What each node is asked for in a millisecond.
const IDS_PER_TICK: u64 = 2_200;
const ERROR_US: i64 = 5_000;
/// The greatest difference between a clock and the true time, and between two clocks, in ticks.
const ERROR: u64 = 5;
const SKEW: u64 = 2 * ERROR;

/// A clock against the true time: a frequency error, and a step now and then; never off by more than 5 ms.
struct Drift {
    error_us: i64,
    rate_us: i64,
    random: u64,
}

impl Drift {
    fn new(node: u64) -> Self {
        // Seeds far apart, and never 0.
        let mut random = (node + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let error_us = within(&mut random, ERROR_US);
        Self { error_us, rate_us: within(&mut random, 40), random }
    }

    fn tick_at(&mut self, true_tick: u64) -> u64 {
        let steps = draw(&mut self.random).is_multiple_of(200);
        let moved = if steps { within(&mut self.random, ERROR_US) } else { self.error_us + self.rate_us };
        self.error_us = moved.clamp(-ERROR_US, ERROR_US);
        let true_us = (true_tick * 1_000).cast_signed();
        (true_us + self.error_us).div_euclid(1_000).cast_unsigned()
    }
}

/// Marsaglia's xorshift64: the same fleet in every run.
fn draw(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn within(random: &mut u64, bound: i64) -> i64 {
    let choices = 2 * bound.unsigned_abs() + 1;
    (draw(random) % choices).cast_signed() - bound
}

/// One bit for every id that could be made.
struct Seen {
    bits: Vec<u64>,
    first: u64,
}

impl Seen {
    fn new() -> Self {
        let ids_per_tick = LAYOUT.node_count() * LAYOUT.ids_per_tick();
        let words = usize::try_from((TICKS + 2 * SKEW) * ids_per_tick / 64).unwrap();
        Self { bits: vec![0; words], first: (BEGIN - SKEW) * ids_per_tick }
    }

    /// False if it was there before.
    fn insert(&mut self, id: u64) -> bool {
        let place = id - self.first;
        let word = &mut self.bits[usize::try_from(place / 64).unwrap()];
        let bit = 1 << (place % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    fn shares_one_with(&self, other: &Self) -> bool {
        self.bits.iter().zip(&other.bits).any(|(a, b)| a & b != 0)
    }
}

/// What one thread's part of the fleet made.
struct Made {
    seen: Seen,
    count: u64,
    refused: u64,
    /// The least and the greatest tick of the ids made in each millisecond of true time.
    range: Vec<(u64, u64)>,
    seconds: f64,
}

fn run_nodes(nodes: impl Iterator<Item = u64>, start: &Barrier) -> Made {
    let new = |node| (Generator::new(LAYOUT.node(node).unwrap(), ManualClock::new(0)), Drift::new(node));
    let mut fleet: Vec<_> = nodes.map(new).collect();
    let mut made = Made { seen: Seen::new(), count: 0, refused: 0, range: Vec::new(), seconds: 0.0 };
    start.wait();
    let begin = Instant::now();
    for true_tick in BEGIN..BEGIN + TICKS {
        let mut range = (u64::MAX, 0);
        for (generator, drift) in &mut fleet {
            generator.clock().set(drift.tick_at(true_tick));
            for _ in 0..IDS_PER_TICK {
                let id = match generator.try_next() {
                    Ok(id) => id.as_u64(),
                    Err(Refusal::ClockBehind { .. } | Refusal::TickFull { .. }) => {
                        made.refused += 1;
                        continue;
                    }
                    Err(other) => panic!("{other:?}"),
                };
                assert!(made.seen.insert(id), "{id} was made twice by one thread");
                let tick = id >> 22;
                range = (range.0.min(tick), range.1.max(tick));
                made.count += 1;
            }
        }
        made.range.push(range);
    }
    made.seconds = begin.elapsed().as_secs_f64();
    made
}

#[test]
fn a_fleet_with_wrong_clocks_makes_distinct_ids_nearly_in_order() {
    let start = Barrier::new(usize::try_from(THREADS).unwrap());
    let start = &start;
    let made: Vec<Made> = thread::scope(|scope| {
        let part = |thread| scope.spawn(move || run_nodes((0..NODES).filter(|node| node % THREADS == thread), start));
        let parts: Vec<_> = (0..THREADS).map(part).collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let [a, b] = &made[..] else { unreachable!("two threads") };
    let count = a.count + b.count;
    assert!(count >= 100_000_000, "only {count} ids");
    assert!(!a.seen.shares_one_with(&b.seen), "two threads made the same id");
    assert_eq!(a.seen.count() + b.seen.count(), count, "all are distinct");

    let (mut disorder, mut error, mut highest) = (0, 0, 0);
    for (true_tick, (a, b)) in (BEGIN..).zip(a.range.iter().zip(&b.range)) {
        let (least, greatest) = (a.0.min(b.0), a.1.max(b.1));
        disorder = disorder.max(u64::saturating_sub(highest, least));
        error = error.max(true_tick.saturating_sub(least)).max(greatest.saturating_sub(true_tick));
        highest = highest.max(greatest);
    }
    assert!(error <= ERROR + 1, "an id's tick is off by {error} ticks");
    assert!(disorder <= SKEW + 1, "an id is {disorder} ticks behind one that was made before it");
    assert!(disorder > 1, "the clocks were all right: this run has shown nothing");

    let (refused, seconds) = (a.refused + b.refused, a.seconds.max(b.seconds));
    println!(
        "{NODES} nodes, {count} distinct ids in {seconds:.2} s: {:.1} M ids/s ({refused} refused while a clock was behind)",
        rate(count, seconds)
    );
    println!("clocks off by up to {ERROR} ticks: ids off by {error}, out of order by up to {disorder} ticks");
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
fn rate(count: u64, seconds: f64) -> f64 {
    count as f64 / 1e6 / seconds
}
