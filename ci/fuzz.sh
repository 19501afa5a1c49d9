#!/usr/bin/env bash
# Runs each fuzz target for a while, from its committed corpus: ci/fuzz.sh [seconds=30]
set -euo pipefail

seconds=${1:-30}
cd "$(dirname "$0")/.."

command -v cargo-fuzz >/dev/null || {
    echo "fuzz: left out: needs cargo-fuzz (cargo install cargo-fuzz)" | tee -a "${LEFT_OUT:-/dev/null}"
    exit 0
}
# The address sanitizer needs a nightly toolchain. There is no unsafe code here to sanitize; the oracle is what counts.
run=(cargo fuzz run --sanitizer none)
if cargo +nightly --version >/dev/null 2>&1; then run=(cargo +nightly fuzz run); fi

# What the fuzzer finds stays out of the committed corpus; what breaks a target is kept in fuzz/artifacts.
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

for target in histories layouts parsing; do
    cp -r "fuzz/corpus/$target" "$found/$target"
    echo "fuzz: $target for $seconds s"
    "${run[@]}" "$target" "$found/$target" -- -max_total_time="$seconds" -max_len=2048 -timeout=10 -print_final_stats=1 \
        >"$found/log" 2>&1 || {
        tail -n 60 "$found/log"
        echo "fuzz: $target FAILED"
        exit 1
    }
    grep -E 'number_of_executed_units|DONE' "$found/log"
done
echo "fuzz: 3 targets passed"
