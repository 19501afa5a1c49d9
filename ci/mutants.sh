#!/usr/bin/env bash
# Breaks the code on purpose, one patch at a time, and demands that the test named in the patch fails:
# ci/mutants.sh [name...]
#
# ci/mutants/NAME.patch is a unified diff below lines of the form
#   # kills: the command that must fail
#   # builds: the command that must still succeed, so that a compile error does not count (default: kills, with --no-run)
#   # why: what the test would have missed
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(find ci/mutants -name '*.patch' -printf '%f\n' | sort)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR=$work/target CARGO_TERM_COLOR=never RUST_BACKTRACE=0

header() { # header <field> <patch>
    sed -n "/^diff /q; s/^# $1: //p" "$2"
}

# A test that runs for ever has not failed: it has not said what is wrong.
bounded() { # bounded <seconds> <command>
    timeout --kill-after=10 "$1" bash -c "$2" >>"$work/log" 2>&1
}

# Says how one mutant ended; true only if it was killed.
try() {
    local patch=$PWD/ci/mutants/$1.patch kills builds
    kills=$(header kills "$patch") && builds=$(header builds "$patch")
    [ -n "$kills" ] || { echo "NO '# kills:' LINE"; return 1; }
    [ -n "$builds" ] || builds="${kills/cargo test/cargo test --no-run}"
    # A fresh tree each time, and fresh file times: or cargo takes what it built of the last mutant for this one.
    rm -rf "$work/tree" && mkdir "$work/tree"
    git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null |
        tar -xmf - -C "$work/tree" || { echo "COPY FAILED"; return 1; }
    : >"$work/log"
    cd "$work/tree" || return 1
    patch --strip=1 --silent <"$patch" >>"$work/log" 2>&1 || { echo "DOES NOT APPLY"; return 1; }
    bounded 900 "$builds" || { echo "DOES NOT BUILD: $builds"; return 1; }
    : >"$work/log"
    bounded 120 "$kills"
    case $? in
    0) echo "SURVIVED: $kills"; return 1 ;;
    124 | 137) echo "DOES NOT END: $kills"; return 1 ;;
    esac
    grep -q '^test .*FAILED$' "$work/log" || { echo "DOES NOT FAIL A TEST: $kills"; return 1; }
    echo "$kills"
}

passed=0 failed=0
printf '%-32s %s\n' name 'killed by'
for name in "${names[@]}"; do
    name=${name%.patch}
    if verdict=$(try "$name"); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
    printf '%-32s %s\n' "$name" "$verdict"
    case $verdict in *DOES*) tail -n 15 "$work/log" | sed 's/^/    /' ;; esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
