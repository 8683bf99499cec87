#!/usr/bin/env bash
# Runs every example on the interpreter and on the GPU and compares the results, with
# the tools alone. Ends with `N passed, N failed`.
#
# usage: run.sh [--device cpu|cuda] [EXAMPLE.tile ...]
#
# What to run and to compare, and how closely, stands in the examples' comments:
#   # run: --kernel K --grid 4 'x_ptr=randn(f32,1000)' ...
#   # expect(rtol=1e-5): y_ptr = ...
set -u
root=$(cd "$(dirname "$0")" && pwd)
PATH="$root/bin:$PATH"
device=cuda
if [ "${1:-}" = --device ]; then
  device=$2
  shift 2
fi
[ $# -gt 0 ] || set -- "$root"/examples/*.tile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# finish_run: runs what `line` says on both devices and compares the arrays in `names`.
finish_run() {
  [ -n "$line" ] || return
  local saves=() expectations=() name
  for name in "${names[@]}"; do
    saves+=(--save "$name=$work/$name.npy")
    expectations+=(--expect "$name=@$work/$name.npy$(type_suffix "$name")")
  done
  eval "local words=($line)"
  if tile-run "$example" "${words[@]}" --device cpu "${saves[@]}" &&
    tile-run "$example" "${words[@]}" --device "$device" "${expectations[@]}" "${tolerances[@]}"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $(basename "$example"): $line"
  fi
  line=
}

# The type that a saved array must be read as: bf16 and fp8 are saved as bit patterns.
type_suffix() {
  if [[ $line =~ $1=[a-z]+\((bf16|f8[a-z0-9]+|fp8[a-z0-9]+) ]]; then
    echo ":${BASH_REMATCH[1]}"
  fi
}

for example in "$@"; do
  line= names=() tolerances=()
  # A comment that ends in a backslash goes on in the next one.
  while IFS= read -r text; do
    if [[ $text =~ ^#\ run:\ (.*)$ ]]; then
      finish_run
      line=${BASH_REMATCH[1]} names=() tolerances=()
    elif [[ $text =~ ^#\ expect(\(([^\)]*)\))?:\ ([A-Za-z_0-9]+)\ = ]]; then
      names+=("${BASH_REMATCH[3]}")
      for tolerance in ${BASH_REMATCH[2]//,/ }; do
        tolerances+=("--${tolerance%%=*}" "${tolerance#*=}")
      done
    fi
  done < <(sed -e ':again' -e '/^#.*\\$/{N;s/\\\n# */ /;b again' -e '}' "$example")
  finish_run
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
