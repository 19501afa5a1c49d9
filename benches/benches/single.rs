//! One thread, back to back: ns an id.
#![allow(missing_docs, reason = "criterion's macros")]

use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use monoflake_benches::{contestant::hold_to_core, lineup::LINEUP};

fn single(criterion: &mut Criterion) {
    hold_to_core(0);
    for entry in LINEUP {
        let contestant = (entry.make)();
        criterion.benchmark_group(entry.kind.name()).bench_function(entry.name, |bencher| {
            bencher.iter_custom(|calls| {
                let start = Instant::now();
                contestant.run(calls);
                start.elapsed()
            });
        });
    }
}

criterion_group!(name = benches; config = monoflake_benches::criterion(); targets = single);
criterion_main!(benches);
