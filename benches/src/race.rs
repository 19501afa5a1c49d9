//! Races: contestants measured in turn, round after round.
//!
//! A virtual machine is faster now and slower then, and two threads on a cache line cost what the host's
//! placement of the cores makes them cost. So contestants run in adjacent samples, there and back again, and what
//! counts is the median, over the rounds, of the ratio within a round.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::contestant::{Contestant, run_on, time_calls_on};

/// How thorough.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How often each contestant is measured.
    pub rounds: usize,
    /// How long each time.
    pub sample: Duration,
}

impl Effort {
    /// For figures.
    pub const FULL: Self = Self { rounds: 25, sample: Duration::from_millis(20) };
    /// To see that it runs.
    pub const QUICK: Self = Self { rounds: 2, sample: Duration::from_millis(1) };
}

/// What was measured: `[round][contestant]`.
#[derive(Debug)]
pub struct Race(Vec<Vec<f64>>);

impl Race {
    /// Measures contestants `0..contestants`, every other round from the last to the first.
    pub fn run(rounds: usize, contestants: usize, mut measure: impl FnMut(usize) -> f64) -> Self {
        Self(
            (0..rounds)
                .map(|round| {
                    let mut measured = vec![0.0; contestants];
                    for step in 0..contestants {
                        let contestant = if round % 2 == 0 { step } else { contestants - 1 - step };
                        measured[contestant] = measure(contestant);
                    }
                    measured
                })
                .collect(),
        )
    }

    /// Nanoseconds of wall time per id, with `threads` threads on one contestant.
    pub fn ns_per_id(effort: Effort, threads: usize, contestants: &[Box<dyn Contestant>]) -> Self {
        let calls: Vec<u64> =
            contestants.iter().map(|contestant| calls_in(effort.sample, threads, &**contestant)).collect();
        Self::run(effort.rounds, contestants.len(), |i| {
            let (took, made) = run_on(&*contestants[i], threads, calls[i]);
            ns(took) / to_f64(made)
        })
    }

    /// The nanoseconds that a call stays below in 99.9 % of cases, `threads` threads calling once each `period`.
    pub fn p999(effort: Effort, threads: usize, period: Duration, contestants: &[Box<dyn Contestant>]) -> Self {
        // A percentile of the thousandth needs thousands.
        let calls = (effort.sample.as_nanos() * 4 / period.as_nanos()).try_into().unwrap_or(u64::MAX);
        Self::run(effort.rounds, contestants.len(), |i| {
            quantile(&time_calls_on(&*contestants[i], threads, calls, period), 0.999)
        })
    }

    /// The median of a contestant.
    pub fn median(&self, contestant: usize) -> f64 {
        median(self.of(contestant))
    }

    /// The least and the most of a contestant.
    pub fn range(&self, contestant: usize) -> (f64, f64) {
        let of = self.of(contestant);
        (of.iter().copied().fold(f64::MAX, f64::min), of.into_iter().fold(0.0, f64::max))
    }

    /// The median of a contestant's ratio to another; to the best of some others, which is the greatest such ratio.
    pub fn ratio(&self, contestant: usize, others: &[usize]) -> f64 {
        let to = |other: usize| median(self.0.iter().map(|round| round[contestant] / round[other]).collect());
        others.iter().map(|&other| to(other)).fold(0.0, f64::max)
    }

    fn of(&self, contestant: usize) -> Vec<f64> {
        self.0.iter().map(|round| round[contestant]).collect()
    }
}

/// Between the values recorded, in proportion to their counts: a clock that counts in steps of 10 ns has few values,
/// and what moves first is how often each comes.
pub fn quantile(ns: &Histogram<u64>, quantile: f64) -> f64 {
    let wanted = to_f64(ns.len()) * quantile;
    let (mut below, mut last) = (0.0, 0.0);
    for step in ns.iter_recorded() {
        let (count, value) = (to_f64(step.count_since_last_iteration()), to_f64(step.value_iterated_to()));
        if below + count >= wanted {
            return last + (value - last) * (wanted - below) / count;
        }
        (below, last) = (below + count, value);
    }
    last
}

/// The middle one; of two, their mean.
///
/// # Panics
///
/// If there is none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// How many calls take about this long; finding out is the warm-up.
fn calls_in(sample: Duration, threads: usize, contestant: &dyn Contestant) -> u64 {
    let mut calls = 64;
    loop {
        let (took, _) = run_on(contestant, threads, calls);
        if took * 4 >= sample {
            let per_call = took.as_nanos().max(1) / u128::from(calls).max(1);
            return (sample.as_nanos() / per_call.max(1)).clamp(u128::from(calls), 1 << 40).try_into().unwrap_or(calls);
        }
        calls *= 4;
    }
}

/// As a float.
pub fn ns(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}

/// As a float: exact below 2^53.
#[allow(clippy::cast_precision_loss, reason = "counts and nanoseconds of a benchmark")]
pub fn to_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{Race, median, quantile};
    use crate::contestant::histogram;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_two() {
        assert!((median(vec![9.0, 1.0, 5.0]) - 5.0).abs() < 1e-9);
        assert!((median(vec![4.0, 1.0, 2.0, 9.0]) - 3.0).abs() < 1e-9);
    }

    /// Of 10 calls of 20 ns and 10 of 30, three quarters lie below 25: half of the way from 20 to 30.
    #[test]
    fn a_quantile_lies_between_the_steps_of_the_clock() {
        let mut ns = histogram();
        ns.record_n(20, 10).unwrap();
        ns.record_n(30, 10).unwrap();
        assert!((quantile(&ns, 0.75) - 25.0).abs() < 1e-9);
        assert!((quantile(&ns, 1.0) - 30.0).abs() < 1e-9);
    }

    /// A machine that is ten times slower in one round changes no ratio.
    #[test]
    fn a_slow_round_does_not_change_a_ratio() {
        let mut calls = 0;
        let race = Race::run(3, 3, |contestant| {
            calls += 1;
            let slow = if (4..=6).contains(&calls) { 10.0 } else { 1.0 };
            slow * [6.0, 3.0, 2.0][contestant]
        });
        assert!((race.ratio(0, &[1]) - 2.0).abs() < 1e-9);
        assert!((race.ratio(0, &[1, 2]) - 3.0).abs() < 1e-9);
        assert!((race.median(0) - 6.0).abs() < 1e-9);
    }
}
