#!/usr/bin/env bash
# Installs what the checks need and the machine lacks: from Debian's packages, and from crates.io.
set -euo pipefail

# command -> Debian package
declare -A packages=([objdump]=binutils [python3]=python3 [g++]=g++ [patch]=patch [git]=git)
missing=()
for command in "${!packages[@]}"; do
    command -v "$command" >/dev/null || missing+=("${packages[$command]}")
done
if [ "${#missing[@]}" -gt 0 ]; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${missing[@]}"
    else
        echo "tools: please install ${missing[*]}" >&2
        exit 1
    fi
fi

# Built without optimization: they run once.
command -v cargo-deny >/dev/null || cargo install --quiet --locked --debug cargo-deny@0.20.2
command -v cargo-fuzz >/dev/null || cargo install --quiet --locked --debug cargo-fuzz@0.13.2
echo "tools: all there"
