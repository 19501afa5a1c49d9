//! A contestant: one way to make an id, and the loops that time it: compiled for it, called through a pointer.

use std::{
    collections::HashSet,
    hash::Hash,
    hint::{black_box, spin_loop},
    sync::{
        Barrier, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;
use rustix::thread::{CpuSet, sched_setaffinity};

/// A contestant: [`One`] makes an id a call, [`Batch`] many.
pub trait Contestant: Send + Sync {
    /// Makes ids back to back; returns how many.
    fn run(&self, calls: u64) -> u64;

    /// Times each call alone; one call each `period`, or back to back if that is zero.
    ///
    /// The time of reading the clock, some 25 ns, is part of each reading: measure [`crate::floors::nothing`] to
    /// know it.
    fn time_calls(&self, calls: u64, period: Duration, ns: &mut Histogram<u64>);

    /// How many of the ids that two threads make at once are made twice. For a generator, anything but 0 is
    /// a fault.
    fn repeats(&self, calls: u64) -> usize;
}

/// An id a call; see [`one!`].
pub(crate) struct One<S> {
    pub(crate) state: S,
    pub(crate) run: fn(&S, u64) -> u64,
    pub(crate) id: fn(&S) -> u64,
}

/// `one!(state, |state| id)`: a contestant that keeps `state` and makes an id by that expression.
///
/// A macro, so that the loop of [`Contestant::run`] has the expression to itself: were it a function of the other
/// loops too, the compiler might call it rather than inline it, and the call would be measured.
macro_rules! one {
    ($made:expr, |$state:ident| $id:expr) => {
        Box::new($crate::contestant::One {
            state: $made,
            run: |$state, calls| {
                // A sum, and not each id to `black_box`: that stores the id, and the next exchange waits for the
                // store.
                let mut sum = 0_u64;
                for _ in 0..calls {
                    // No instruction, but nothing is kept in registers from one id to the next, as no caller
                    // who makes an id now and then could keep it.
                    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
                    sum = sum.wrapping_add($id);
                }
                std::hint::black_box(sum);
                calls
            },
            id: |$state| $id,
        })
    };
}
pub(crate) use one;

impl<S: Send + Sync> Contestant for One<S> {
    fn run(&self, calls: u64) -> u64 {
        (self.run)(&self.state, calls)
    }

    fn time_calls(&self, calls: u64, period: Duration, ns: &mut Histogram<u64>) {
        time_each(calls, period, ns, || {
            black_box((self.id)(&self.state));
        });
    }

    fn repeats(&self, calls: u64) -> usize {
        count_repeats(|| (0..calls).map(|_| (self.id)(&self.state)).collect())
    }
}

/// Makes ids into a slice: `fill` returns how many.
///
/// The slice is made once a sample, as a caller would who makes batches in a loop.
pub struct Batch<T, F> {
    /// Before the first batch.
    pub empty: Vec<T>,
    /// Writes a batch to the front of the slice.
    pub fill: F,
}

impl<T, F> Contestant for Batch<T, F>
where
    F: Fn(&mut Vec<T>) -> usize + Send + Sync,
    T: Clone + Eq + Hash + Send + Sync,
{
    fn run(&self, calls: u64) -> u64 {
        let mut ids = self.empty.clone();
        let mut made = 0;
        for _ in 0..calls {
            made += (self.fill)(&mut ids) as u64;
            black_box(ids.as_mut_slice());
        }
        made
    }

    fn time_calls(&self, calls: u64, period: Duration, ns: &mut Histogram<u64>) {
        let mut ids = self.empty.clone();
        time_each(calls, period, ns, || {
            (self.fill)(&mut ids);
            black_box(ids.as_mut_slice());
        });
    }

    fn repeats(&self, calls: u64) -> usize {
        count_repeats(|| {
            let mut ids = self.empty.clone();
            let mut all = Vec::new();
            for _ in 0..calls {
                let made = (self.fill)(&mut ids);
                all.extend_from_slice(&ids[..made]);
            }
            all
        })
    }
}

fn time_each(calls: u64, period: Duration, ns: &mut Histogram<u64>, mut call: impl FnMut()) {
    let mut due = Instant::now();
    for _ in 0..calls {
        // Not kept up with after a preemption: a caller that comes late does not come twice.
        let mut start = Instant::now();
        while start < due {
            spin_loop();
            start = Instant::now();
        }
        due = start + period;
        // `Instant` and not the bare counter: it waits for what came before it, so that the exchange is in.
        let start = Instant::now();
        call();
        let took = start.elapsed();
        ns.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }
}

fn count_repeats<T: Eq + Hash + Send>(make: impl Fn() -> Vec<T> + Sync) -> usize {
    let (mut ids, others) = thread::scope(|scope| {
        let other = scope.spawn(&make);
        (make(), other.join().expect("a contestant does not panic"))
    });
    ids.extend(others);
    let all = ids.len();
    all - ids.into_iter().collect::<HashSet<_>>().len()
}

/// How long `threads` threads take, on one contestant, for this many calls in all; and how many ids they made.
///
/// Each thread is held to a core, and times itself from a common start. Calls are taken in portions, so that all
/// threads are at it until the end, and none runs the last stretch alone.
pub fn run_on(contestant: &dyn Contestant, threads: usize, calls: u64) -> (Duration, u64) {
    const PORTION: u64 = 1024;
    let taken = AtomicU64::new(0);
    let barrier = Barrier::new(threads);
    let work = |core: usize| {
        hold_to_core(core);
        let mut made = 0;
        barrier.wait();
        let start = Instant::now();
        loop {
            let from = taken.fetch_add(PORTION, Ordering::Relaxed);
            if from >= calls {
                break;
            }
            made += contestant.run(PORTION.min(calls - from));
        }
        (start, Instant::now(), made)
    };
    on_threads(threads, &work)
        .into_iter()
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1), a.2 + b.2))
        .map_or((Duration::ZERO, 0), |(start, end, made)| (end - start, made))
}

/// Times each call, with `threads` threads on one contestant.
///
/// Their periods differ a little, so that they meet in every way, and not always or never.
pub fn time_calls_on(contestant: &dyn Contestant, threads: usize, calls: u64, period: Duration) -> Histogram<u64> {
    let barrier = Barrier::new(threads);
    let work = |core: usize| {
        hold_to_core(core);
        let mut ns = histogram();
        barrier.wait();
        contestant.time_calls(calls, period + period / 97 * u32::try_from(core).unwrap_or(0), &mut ns);
        ns
    };
    let mut all = histogram();
    for ns in on_threads(threads, &work) {
        all.add(ns).expect("both have the same bounds");
    }
    all
}

/// Of nanoseconds, to a second, at three digits.
pub fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 1_000_000_000, 3).expect("these bounds are valid")
}

fn on_threads<T: Send>(threads: usize, work: &(impl Fn(usize) -> T + Sync)) -> Vec<T> {
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|core| scope.spawn(move || work(core))).collect();
        running.into_iter().map(|thread| thread.join().expect("a contestant does not panic")).collect()
    })
}

/// So that two threads are never on one core while the other idles; where the system refuses, its scheduler
/// decides.
pub fn hold_to_core(core: usize) {
    // Asked once, before anybody is held to a core: it counts those that the caller may use.
    static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));
    let mut set = CpuSet::new();
    set.set(core % *CORES);
    let _ = sched_setaffinity(None, &set);
}

/// The id, asked for again and again: a refusal is part of the cost of the next id.
///
/// A macro for the same reason as [`one!`].
macro_rules! insist {
    ($attempt:expr) => {
        match $attempt {
            Ok(id) => id,
            Err(_) => $crate::contestant::insist_longer(|| $attempt),
        }
    };
}
pub(crate) use insist;

#[cold]
#[inline(never)]
pub(crate) fn insist_longer<T, E>(mut attempt: impl FnMut() -> Result<T, E>) -> T {
    const MOST: u32 = 1 << 26;
    for _ in 0..MOST {
        spin_loop();
        if let Ok(id) = attempt() {
            return id;
        }
    }
    panic!("no id in {MOST} attempts");
}
