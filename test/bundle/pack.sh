#!/usr/bin/env bash
# Packs the tools, the examples and run.sh into one file for a GPU machine that has
# nothing but a driver: usage: pack.sh BUILD_DIR OUTPUT.tar.xz
set -eu
build=$1 output=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
name=tilec-gpu-bundle
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/$name/bin" "$work/$name/examples" "$(dirname "$output")"
for tool in tilec tile-opt tile-run; do
  /usr/lib/llvm-22/bin/llvm-strip "$build/bin/$tool" -o "$work/$name/bin/$tool"
done
cp "$root"/examples/*.tile "$work/$name/examples"
cp "$root/test/bundle/run.sh" "$root/LICENSE" "$work/$name"
tar -C "$work" -cf - --owner=0 --group=0 "$name" | xz -6 -T0 >"$output"
du -h "$output"
