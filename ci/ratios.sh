#!/bin/sh
# Measures what the library promises about its speed, on this machine, and fails if a bound is missed.
# Takes under five minutes; a busy machine makes it meaningless.
#
#   ci/ratios.sh                 the table
#   ci/ratios.sh --json FILE     and the data
#   ci/ratios.sh --quick         only that it runs
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
exec cargo run --locked --release --quiet --manifest-path "$root/benches/Cargo.toml" --bin ratios -- "$@"
