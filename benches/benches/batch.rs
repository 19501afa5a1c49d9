//! Batches of 1024, written out to a slice: throughput in ids.
#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use monoflake_benches::{contestant::run_on, lineup::BATCHES, ours::BATCH};

fn batch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("batch of 1024");
    group.throughput(Throughput::Elements(BATCH as u64));
    for entry in BATCHES {
        let contestant = (entry.make)();
        for threads in [1, 2] {
            group.bench_function(BenchmarkId::new(entry.name, threads), |bencher| {
                bencher.iter_custom(|calls| run_on(&*contestant, threads, calls).0);
            });
        }
    }
}

criterion_group!(name = benches; config = monoflake_benches::criterion(); targets = batch);
criterion_main!(benches);
