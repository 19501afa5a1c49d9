//! A hundred million ids from two threads on one generator: distinct, and rising for each thread.
//!
//! In release builds only: `cargo test --release -p monoflake-core --test streams -- --nocapture`.
#![cfg(not(debug_assertions))]
#![allow(clippy::disallowed_methods, reason = "the rate is printed, and nothing depends on it")]

use std::{sync::Barrier, thread, time::Instant};

use monoflake_core::{Generator, Id, Layout, ManualClock};

const IDS: usize = 100_000_000;

#[test]
fn a_hundred_million_ids_of_two_threads_are_distinct_and_rise() {
    // Room for all of them in any one tick: however the threads are scheduled, none is refused.
    let layout = Layout::constant(26, 10, 27);
    let generator = Generator::new(layout.node(7).unwrap(), ManualClock::new(1));
    let both = Barrier::new(2);
    let take = |moves_clock: bool| {
        let mut ids = vec![Id::MIN; IDS / 2];
        both.wait();
        for (n, slot) in ids.iter_mut().enumerate() {
            if moves_clock && n % 100_000 == 0 {
                generator.clock().set(1 + (n / 100_000) as u64);
            }
            *slot = generator.try_next().unwrap();
        }
        ids
    };
    let begin = Instant::now();
    let (a, b) = thread::scope(|scope| {
        let (a, b) = (scope.spawn(|| take(true)), scope.spawn(|| take(false)));
        (a.join().unwrap(), b.join().unwrap())
    });
    let seconds = begin.elapsed().as_secs_f64();

    assert!(a.is_sorted_by(|x, y| x < y), "ids of one thread rise");
    assert!(b.is_sorted_by(|x, y| x < y), "ids of the other thread rise");
    assert_eq!(merge(&a, &b), IDS, "all are distinct");
    println!("{IDS} ids from 2 threads in {seconds:.2} s: {:.1} M ids/s", millions(IDS) / seconds);
}

/// How many different ids two rising streams have together.
fn merge(mut a: &[Id], mut b: &[Id]) -> usize {
    let mut distinct = 0;
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        distinct += 1;
        a = if x <= y { &a[1..] } else { a };
        b = if y <= x { &b[1..] } else { b };
    }
    distinct + a.len() + b.len()
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
fn millions(count: usize) -> f64 {
    count as f64 / 1e6
}
