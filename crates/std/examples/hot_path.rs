//! The hot path, alone, as other crates call it: what `ci/asm.sh` disassembles.

use std::hint::black_box;

use monoflake::{CachedClock, Clock, Generator, Id, Layout, Refusal, TscClock};

/// A clock that costs nothing: what is left is the generator's own.
struct Still;

impl Clock for Still {
    fn now(&self) -> u64 {
        1_000
    }
}

#[inline(never)]
fn hot_path_core(generator: &Generator<Still>) -> Result<Id, Refusal> {
    generator.try_next()
}

#[inline(never)]
fn hot_path_cached(generator: &Generator<CachedClock>) -> Result<Id, Refusal> {
    generator.try_next()
}

#[inline(never)]
fn hot_path_tsc(generator: &Generator<TscClock>) -> Result<Id, Refusal> {
    generator.try_next()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let layout = Layout::DEFAULT;
    let node = layout.node(black_box(7))?;
    println!("{}", hot_path_core(black_box(&Generator::new(node, Still)))?);
    println!("{}", hot_path_cached(black_box(&Generator::new(node, CachedClock::new(layout)?)))?);
    println!("{}", hot_path_tsc(black_box(&Generator::new(node, TscClock::new(layout))))?);
    Ok(())
}
