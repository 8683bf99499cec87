#!/usr/bin/env bash
# Writes the reference pages of the dialects and passes, from the .td files, and of the
# warnings, from their .def file, into the folder that it is given. The committed copies are in docs/generated; a test compares.
set -eu
out=${1:?usage: docs/generate.sh FOLDER}
root=$(cd "$(dirname "$0")/.." && pwd)
llvm=/usr/lib/llvm-22
mkdir -p "$out"

# page NAME.md SOURCE.td tblgen-option...
page() {
  local name=$1 source=$2
  shift 2
  "$llvm/bin/mlir-tblgen" "$@" -I "$root/include" -I "$llvm/include" \
    "$root/include/tilec/$source" -o "$out/$name"
}

for dialect in Tile TileGPU; do
  ir=Dialect/$dialect/IR/${dialect}Ops.td
  passes=Dialect/$dialect/Transforms/Passes.td
  if [ -f "$root/include/tilec/$ir" ]; then
    page "${dialect}Dialect.md" "$ir" -gen-dialect-doc -dialect="${dialect,,}"
  fi
  if [ -f "$root/include/tilec/$passes" ]; then
    page "${dialect}Passes.md" "$passes" -gen-pass-doc
  fi
done
# The table of Warnings.def.
{
  echo '| `-W` | on | warns where |'
  echo '|---|---|---|'
  sed -nE 's/^TILEC_WARNING\([^,]*, "([^"]*)", ([^,]*), "(.*)"\)$/\1;\2;\3/p' \
    "$root/include/tilec/Dialect/Tile/IR/Warnings.def" |
    sed -e 's/|/\\|/g' -e "s/'/\`/g" -e 's/;true;/` | yes | /' -e 's/;false;/` | | /' -e 's/.*/| `& |/'
} > "$out/Warnings.md"
if [ -f "$root/include/tilec/Conversion/Passes.td" ]; then
  page ConversionPasses.md Conversion/Passes.td -gen-pass-doc
fi
