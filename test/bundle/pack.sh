#!/usr/bin/env bash
# Packs the tools, the libraries, the examples and run.sh into one file for a GPU machine
# that has nothing but a driver, and the benchmark, which needs PyTorch and Triton there:
# usage: pack.sh BUILD_DIR OUTPUT.tar.xz
set -eu
build=$1 output=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
name=tilec-gpu-bundle
work=$(mktemp -d)
# What failed says why in the log, which nobody reads otherwise.
trap 'status=$?; [ $status = 0 ] || cat "$work/log" >&2 2>/dev/null; rm -rf "$work"' EXIT

mkdir -p "$work/$name/bin" "$work/$name/examples" "$work/$name/bench/suites" "$(dirname "$output")"
for tool in tilec tile-opt tile-run; do
  /usr/lib/llvm-22/bin/llvm-strip "$build/bin/$tool" -o "$work/$name/bin/$tool"
done

# The libraries as installed, and the C++ examples built with them, which find them beside.
cmake --install "$build" --prefix "$work/tree" >"$work/log"
cp -a "$work/tree/include" "$work/tree/lib" "$work/$name"
cmake -S "$root/examples/cpp" -B "$work/cpp" -G Ninja -DCMAKE_PREFIX_PATH="$work/tree" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_SKIP_RPATH=ON \
  -DCMAKE_EXE_LINKER_FLAGS='-static-libstdc++ -static-libgcc -Wl,-rpath,\$ORIGIN/../lib' >>"$work/log"
cmake --build "$work/cpp" >>"$work/log"
cp "$work/cpp/build-time" "$work/cpp/run-time" "$work/cpp/plain-c" "$work/$name/bin"
for program in launch_cost runtime_stress; do
  /usr/lib/llvm-22/bin/llvm-strip "$build/test/capi/$program" -o "$work/$name/bin/$program"
done

cp "$root"/test/bench/*.py "$work/$name/bench"
cp "$root"/test/bench/suites/*.py "$work/$name/bench/suites"
git -C "$root" describe --always --dirty >"$work/$name/commit" 2>/dev/null || echo unknown >"$work/$name/commit"
cp "$root"/examples/*.tile "$work/$name/examples"
cp "$root/test/bundle/run.sh" "$root/LICENSE" "$work/$name"
tar -C "$work" -cf - --owner=0 --group=0 "$name" | xz -6 -T0 >"$output"
du -h "$output"
