#!/usr/bin/env bash
# Every interleaving of a few calls: the counter, the permit, and the TSC clock's anchor.
set -euo pipefail
cd "$(dirname "$0")/.."
# A target directory of its own: the flag rebuilds everything.
export RUSTFLAGS="--cfg monoflake_loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
cargo test --release -p monoflake-core --test loom
cargo test --release -p monoflake --lib anchor
