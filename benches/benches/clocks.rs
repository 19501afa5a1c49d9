//! What a reading of the clock costs: ours, and what they are made of.
#![allow(missing_docs, reason = "criterion's macros")]

use std::time::{Instant, SystemTime};

use criterion::{Criterion, criterion_group, criterion_main};
use monoflake::{Clock, Layout, SystemClock, TscClock};
use monoflake_benches::{contestant::hold_to_core, ours::cached};

fn clocks(criterion: &mut Criterion) {
    hold_to_core(0);
    let layout = Layout::DEFAULT;
    let mut group = criterion.benchmark_group("clocks");
    let raw = quanta::Clock::new();
    group.bench_function("quanta raw", |bencher| bencher.iter(|| raw.raw()));
    group.bench_function("Instant::now", |bencher| bencher.iter(Instant::now));
    group.bench_function("SystemTime::now", |bencher| bencher.iter(SystemTime::now));
    let tsc = TscClock::new(layout);
    group.bench_function("TscClock", |bencher| bencher.iter(|| tsc.now()));
    let system = SystemClock::new(layout);
    group.bench_function("SystemClock", |bencher| bencher.iter(|| system.now()));
    let cached = cached(layout);
    group.bench_function("CachedClock", |bencher| bencher.iter(|| cached.now()));
}

criterion_group!(name = benches; config = monoflake_benches::criterion(); targets = clocks);
criterion_main!(benches);
