#!/usr/bin/env bash
# Runs the shell commands of the README and the documents (their Rust runs as doctests), each block in one shell.
# Left out are the commands that run this script, and those that measure: they need a quiet machine.
set -euo pipefail
cd "$(dirname "$0")/.."

blocks=$(mktemp -d)
trap 'rm -rf "$blocks"' EXIT

awk -v dir="$blocks" '
    /^```sh$/ { n++; file = sprintf("%s/%03d", dir, n); print "# " FILENAME > file; inside = 1; next }
    /^```$/   { inside = 0 }
    inside    { print > file }
' README.md CONTRIBUTING.md docs/*.md

passed=0
for block in "$blocks"/*; do
    if grep -qE '^ci/(check|ratios)\.sh' "$block"; then continue; fi
    echo "--- $(head -n 1 "$block"): $(sed -n 2p "$block")"
    bash -euo pipefail "$block"
    passed=$((passed + 1))
done
[ "$passed" -gt 0 ]
echo "$passed passed, 0 failed"
