#!/usr/bin/env bash
# The one command that checks everything. Installs what it misses from Debian's packages and from crates.io; rustup
# brings the toolchain that rust-toolchain.toml names. What cannot run on this machine says so, and again at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

LEFT_OUT=$(mktemp)
export LEFT_OUT
trap 'rm -f "$LEFT_OUT"' EXIT
left_out() { echo "$1: left out: $2" | tee -a "$LEFT_OUT"; }
step() { printf '\n=== %s (%s s)\n' "$*" "$SECONDS"; }

step tools
ci/tools.sh

step formatting and lints
cargo fmt --all --check
cargo fmt --check --manifest-path benches/Cargo.toml
cargo fmt --check --manifest-path fuzz/Cargo.toml
cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
cargo clippy --locked --workspace --all-targets -- -D warnings

step tests
cargo test --locked --workspace --all-features
cargo test --locked --workspace --exclude monoflake-cli --lib --tests
step tests without debug assertions
# (Those that run in release builds below are left to that: here they are slow.)
cargo test --locked --workspace --all-features --profile no-assertions --lib --bins --tests -- \
    --skip a_fleet_with_wrong_clocks --skip a_hundred_million_ids --skip no_tick_is_used_by_two_holders
step a fleet of 1024 nodes, and 100 million ids of two threads
cargo test --locked --release -p monoflake-core --test fleet --test streams -- --nocapture --test-threads 1

step bare metal
for target in thumbv6m-none-eabi/critical-section thumbv7m-none-eabi/fallback; do
    if rustup target list --installed 2>/dev/null | grep -qx "${target%/*}"; then
        cargo build --locked -p monoflake-core --target "${target%/*}" --features "${target#*/}"
    else
        left_out "${target%/*}" "the target is not installed (rustup target add ${target%/*})"
    fi
done

step models
ci/loom.sh
cargo test --locked --release -p monoflake-lease --test model -- --nocapture
step miri
if cargo +nightly miri --version >/dev/null 2>&1; then
    cargo +nightly miri test -p monoflake-core --lib
else
    left_out miri "the component is not installed (rustup +nightly component add miri)"
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
RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --all-features --no-deps
RUSTDOCFLAGS="--cfg monoflake_documents" cargo test --locked --doc -p monoflake
ci/docs.sh
step packages
cargo package --locked --quiet -p monoflake-core -p monoflake -p monoflake-cli --allow-dirty
step licences, bans, sources
cargo deny --log-level error check licenses bans sources

step done
if [ -s "$LEFT_OUT" ]; then
    echo "Not run on this machine:"
    cat "$LEFT_OUT"
fi
echo "All checks passed."
