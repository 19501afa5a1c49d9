#!/usr/bin/env bash
# The one command that checks everything. Installs from Debian's packages and from crates.io what it misses; what
# cannot run on this machine says so in one line.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n=== %s (%s s)\n' "$*" "$SECONDS"; }

step tools
ci/tools.sh

step formatting and lints
cargo fmt --all --check
cargo clippy --workspace --all-targets --all-features -- -D warnings
cargo clippy -p monoflake-core --no-default-features -- -D warnings

step tests
cargo test --workspace --all-features
step tests without debug assertions
cargo test --workspace --all-features --profile no-assertions --lib --bins --tests
step a fleet of 1024 nodes, and 100 million ids of two threads
cargo test --release -p monoflake-core --test fleet --test streams -- --nocapture --test-threads 1

step models
ci/loom.sh
step miri
if cargo +nightly miri --version >/dev/null 2>&1; then
    cargo +nightly miri test -p monoflake-core --lib
else
    echo "miri: left out: the component is not installed (rustup +nightly component add miri)"
fi
step the hot path
ci/asm.sh
step mutants
ci/mutants.sh
step fuzzing
ci/fuzz.sh 30
step benchmarks run
ci/bench-smoke.sh

step documentation
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --no-deps
ci/docs.sh
step packages
cargo package --quiet -p monoflake-core -p monoflake --allow-dirty
step licences, bans, sources
cargo deny --log-level error check licenses bans sources

step done
