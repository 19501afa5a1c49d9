#!/usr/bin/env bash
# Disassembles the hot path and fails on a call, a panic, or more instructions than named here.
#
# The granted path is the shortest way from the function's first instruction through the exchange to its return.
# Calls may stand elsewhere in the function, and only to these cold functions; so no panic stands in it.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -m)" != x86_64 ]; then
    echo "asm: left out: the limits are those of x86_64" | tee -a "${LEFT_OUT:-/dev/null}"
    exit 0
fi

cargo build --locked --quiet --release -p monoflake --example hot_path
objdump --disassemble --demangle --no-show-raw-insn "${CARGO_TARGET_DIR:-target}/release/examples/hot_path" |
    python3 ci/hot_path.py \
        --cold take_or_refuse --cold renew_and_read --cold clock_gettime \
        hot_path_core=65 hot_path_cached=70 hot_path_tsc=105
