#!/bin/sh
# Builds every benchmark and runs each once. The figures of such a run mean nothing; that they are there does.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
manifest=$root/benches/Cargo.toml
# Without link-time optimization: it takes minutes, and here nobody reads the figures.
CARGO_PROFILE_BENCH_LTO=off
CARGO_PROFILE_BENCH_CODEGEN_UNITS=16
export CARGO_PROFILE_BENCH_LTO CARGO_PROFILE_BENCH_CODEGEN_UNITS
cargo test --locked --profile bench --lib --manifest-path "$manifest"
cargo bench --locked --manifest-path "$manifest" -- --test
cargo run --locked --profile bench --manifest-path "$manifest" --bin ratios -- --quick
