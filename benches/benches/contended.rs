//! 1, 2 and 4 threads on one generator: ns of wall time an id.
#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use monoflake_benches::{contestant::run_on, lineup::LINEUP};

fn contended(criterion: &mut Criterion) {
    for entry in LINEUP {
        let contestant = (entry.make)();
        let mut group = criterion.benchmark_group(entry.kind.name());
        for threads in [1, 2, 4] {
            group.bench_function(BenchmarkId::new(entry.name, threads), |bencher| {
                bencher.iter_custom(|calls| run_on(&*contestant, threads, calls).0);
            });
        }
    }
}

criterion_group!(name = benches; config = monoflake_benches::criterion(); targets = contended);
criterion_main!(benches);
