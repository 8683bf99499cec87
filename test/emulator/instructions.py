"""Compares the emulator with a GPU, instruction by instruction.

usage: instructions.py TILE_RUN [--seed N] [--arch sm_80] [--keep FILE.ptx]

One kernel executes each form below in many threads, on values of every magnitude: bits at random, usual numbers, zeros,
infinities, NaN, subnormals, limits. The results must be the same bits; which NaN a NaN is does not count, and approximate
functions may differ by the units in the last place that stand behind them. On a machine whose libcuda is the emulator
the comparison is one of the emulator with itself: then it says whether the forms run.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from ptx import host
from ptx.rounding import decode
from ptx.types import DTYPES, bits_of, is_float, unpack, unsigned_of

THREADS, BLOCKS = 128, 8

# Result, instruction (D is the result; A, B, C the sources, P a predicate that is set in half of the threads), sources.
FORMS = """
b32 | add.s32 D, A, B | s32 s32
b32 | sub.s32 D, A, B | s32 s32
b32 | mul.lo.s32 D, A, B | s32 s32
b32 | mul.hi.s32 D, A, B | s32 s32
b32 | mul.hi.u32 D, A, B | u32 u32
b64 | mul.hi.s64 D, A, B | s64 s64
b64 | mul.wide.s32 D, A, B | s32 s32
b64 | mul.wide.u32 D, A, B | u32 u32
b32 | mad.lo.s32 D, A, B, C | s32 s32 s32
b32 | mad.hi.s32 D, A, B, C | s32 s32 s32
b64 | mad.lo.s64 D, A, B, C | s64 s64 s64
b32 | abs.s32 D, A | s32
b32 | min.s32 D, A, B | s32 s32
b32 | max.u32 D, A, B | u32 u32
b64 | min.s64 D, A, B | s64 s64
b16 | add.s16 D, A, B | s16 s16
b16 | mul.lo.s16 D, A, B | s16 s16
b32 | mul.wide.s16 D, A, B | s16 s16
b32 | or.b32 B, B, 1; div.s32 D, A, B | s32 s32
b32 | or.b32 B, B, 1; rem.s32 D, A, B | s32 s32
b32 | or.b32 B, B, 1; div.u32 D, A, B | u32 u32
b64 | or.b64 B, B, 1; rem.s64 D, A, B | s64 s64
b32 | shl.b32 D, A, B | u32 count
b32 | shr.s32 D, A, B | s32 count
b32 | shr.u32 D, A, B | u32 count
b64 | shr.s64 D, A, B | s64 count
b64 | shl.b64 D, A, B | s64 count
b16 | shr.s16 D, A, B | s16 count
b32 | shf.l.wrap.b32 D, A, B, C | u32 u32 count
b32 | shf.r.wrap.b32 D, A, B, C | u32 u32 count
b32 | shf.l.clamp.b32 D, A, B, C | u32 u32 count
b32 | shf.r.clamp.b32 D, A, B, C | u32 u32 count
b32 | lop3.b32 D, A, B, C, 0xD8 | u32 u32 u32
b32 | lop3.b32 D, A, B, C, 0x1B | u32 u32 u32
b32 | prmt.b32 D, A, B, C | u32 u32 u32
b32 | bfe.u32 D, A, B, C | u32 count count
b32 | bfe.s32 D, A, B, C | s32 count count
b64 | bfe.s64 D, A, B, C | s64 count count
b32 | bfi.b32 D, A, B, C, 9 | u32 u32 count
b32 | bfi.b32 D, A, B, 5, C | u32 u32 count
b32 | popc.b32 D, A | u32
b32 | clz.b32 D, A | u32
b32 | clz.b64 D, A | s64
b32 | brev.b32 D, A | u32
b32 | dp4a.s32.s32 D, A, B, C | s32 s32 s32
b32 | dp4a.u32.u32 D, A, B, C | u32 u32 u32
b32 | setp.lt.s32 Q, A, B; selp.b32 D, A, B, Q | s32 s32
b32 | setp.hs.u32 Q, A, B; selp.b32 D, A, B, Q | u32 u32
b32 | add.cc.u32 D, A, B; addc.u32 D, A, C | u32 u32 u32
b32 | sub.cc.u32 D, A, B; subc.u32 D, A, C | u32 u32 u32
f32 | add.rn.f32 D, A, B | f32 f32
f32 | add.rz.f32 D, A, B | f32 f32
f32 | add.rm.f32 D, A, B | f32 f32
f32 | add.rp.f32 D, A, B | f32 f32
f32 | add.rn.ftz.f32 D, A, B | f32 f32
f32 | sub.rn.f32 D, A, B | f32 f32
f32 | mul.rn.f32 D, A, B | f32 f32
f32 | mul.rz.f32 D, A, B | f32 f32
f32 | mul.rn.ftz.f32 D, A, B | f32 f32
f32 | add.sat.f32 D, A, B | f32 f32
f32 | fma.rn.f32 D, A, B, C | f32 f32 f32
f32 | fma.rz.f32 D, A, B, C | f32 f32 f32
f32 | fma.rm.f32 D, A, B, C | f32 f32 f32
f32 | fma.rn.ftz.f32 D, A, B, C | f32 f32 f32
f32 | div.rn.f32 D, A, B | f32 f32
f32 | rcp.rn.f32 D, A | f32
f32 | sqrt.rn.f32 D, A | f32
f32 | min.f32 D, A, B | f32 f32
f32 | max.f32 D, A, B | f32 f32
f32 | min.NaN.f32 D, A, B | f32 f32
f32 | max.NaN.f32 D, A, B | f32 f32
f32 | abs.f32 D, A | f32
f32 | neg.f32 D, A | f32
f32 | copysign.f32 D, A, B | f32 f32
f64 | add.rn.f64 D, A, B | f64 f64
f64 | mul.rn.f64 D, A, B | f64 f64
f64 | fma.rn.f64 D, A, B, C | f64 f64 f64
f64 | div.rn.f64 D, A, B | f64 f64
f64 | sqrt.rn.f64 D, A | f64
f64 | min.f64 D, A, B | f64 f64
f16 | add.rn.f16 D, A, B | f16 f16
f16 | mul.rn.f16 D, A, B | f16 f16
f16 | fma.rn.f16 D, A, B, C | f16 f16 f16
f16 | max.f16 D, A, B | f16 f16
f16 | min.NaN.f16 D, A, B | f16 f16
f16x2 | add.rn.f16x2 D, A, B | f16x2 f16x2
f16x2 | fma.rn.f16x2 D, A, B, C | f16x2 f16x2 f16x2
f16x2 | max.f16x2 D, A, B | f16x2 f16x2
bf16 | fma.rn.bf16 D, A, B, C | bf16 bf16 bf16
bf16 | max.bf16 D, A, B | bf16 bf16
bf16x2 | fma.rn.bf16x2 D, A, B, C | bf16x2 bf16x2 bf16x2
bf16x2 | min.NaN.bf16x2 D, A, B | bf16x2 bf16x2
b32 | setp.lt.f32 Q, A, B; selp.b32 D, A, B, Q | f32 f32
b32 | setp.ltu.f32 Q, A, B; selp.b32 D, A, B, Q | f32 f32
b32 | setp.ne.f32 Q, A, B; selp.b32 D, A, B, Q | f32 f32
b32 | setp.neu.f32 Q, A, B; selp.b32 D, A, B, Q | f32 f32
b32 | setp.num.f32 Q, A, B; selp.b32 D, A, B, Q | f32 f32
b32 | cvt.rzi.s32.f32 D, A | f32
b32 | cvt.rni.s32.f32 D, A | f32
b32 | cvt.rmi.s32.f32 D, A | f32
b32 | cvt.rzi.u32.f32 D, A | f32
b64 | cvt.rzi.s64.f32 D, A | f32
b64 | cvt.rzi.u64.f64 D, A | f64
b32 | cvt.rzi.s32.f64 D, A | f64
b16 | cvt.rzi.s16.f32 D, A | f32
b32 | cvt.rzi.s32.f16 D, A | f16
f32 | cvt.rn.f32.s32 D, A | s32
f32 | cvt.rz.f32.s32 D, A | s32
f32 | cvt.rn.f32.u64 D, A | s64
f16 | cvt.rn.f16.s32 D, A | s32
f16 | cvt.rn.f16.s64 D, A | s64
f64 | cvt.rn.f64.s64 D, A | s64
b32 | cvt.s32.s8 D, A | s32
b32 | cvt.sat.s8.s32 D, A | s32
b32 | cvt.sat.u8.s32 D, A | s32
f16 | cvt.rn.f16.f32 D, A | f32
f16 | cvt.rz.f16.f32 D, A | f32
bf16 | cvt.rn.bf16.f32 D, A | f32
bf16 | cvt.rz.bf16.f32 D, A | f32
f16x2 | cvt.rn.f16x2.f32 D, A, B | f32 f32
bf16x2 | cvt.rz.bf16x2.f32 D, A, B | f32 f32
b32 | cvt.rna.tf32.f32 D, A | finite
f32 | cvt.f32.f16 D, A | f16
f32 | cvt.rn.f32.f64 D, A | f64
f32 | cvt.rz.f32.f64 D, A | f64
f64 | cvt.f64.f32 D, A | f32
f32 | cvt.rni.f32.f32 D, A | f32
f32 | cvt.rzi.f32.f32 D, A | f32
f32 | ex2.approx.ftz.f32 D, A | usual | 2
f32 | lg2.approx.f32 D, A | usual | 8
f32 | rcp.approx.ftz.f32 D, A | usual | 1
f32 | rsqrt.approx.f32 D, A | usual | 2
f32 | sqrt.approx.ftz.f32 D, A | usual | 2
f32 | div.full.f32 D, A, B | usual usual | 2
"""
HOPPER = """
f32 | cvt.f32.bf16 D, A | bf16
bf16 | add.rn.bf16 D, A, B | bf16 bf16
bf16x2 | mul.rn.bf16x2 D, A, B | bf16x2 bf16x2
b16 | cvt.rn.satfinite.e4m3x2.f32 D, A, B | f32 f32
b16 | cvt.rn.satfinite.e5m2x2.f32 D, A, B | f32 f32
f16x2 | cvt.rn.f16x2.e4m3x2 D, A | s16
f16x2 | cvt.rn.f16x2.e5m2x2 D, A | s16
b32 | add.s16x2 D, A, B | u32 u32
b32 | min.s16x2 D, A, B | u32 u32
b32 | max.u16x2 D, A, B | u32 u32
"""


def sources(draw, kind, count):
    """Bits of values of a type: at random, usual ones, and those at the ends of its rules."""
    if kind == "count":
        return draw.integers(0, 70, count).astype(np.uint32)
    if kind in ("usual", "finite"):
        return np.abs(draw.standard_normal(count) * 2.0 ** draw.integers(-8, 9, count)).astype(np.float32).view(np.uint32)
    element, packed = unpack(kind)
    dtype, count = unsigned_of(element), count * packed
    size = dtype.itemsize * 8
    code = draw.integers(0, 1 << size, count, dtype=np.uint64).astype(dtype)
    usual, rare = draw.random(count) < 0.5, draw.random(count) < 0.15
    if is_float(element):
        near = draw.standard_normal(count) * 2.0 ** draw.integers(-3, 4, count)
        fraction = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[element]
        near = (near.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) if element == "bf16" else (
            near.astype(DTYPES[element]).view(dtype))
        ones = ((1 << (size - 1 - fraction)) - 1) << fraction
        special = [0, 1 << (size - 1), ones, ones | 1 << (size - 1), ones | 1 << (fraction - 1), 1, 1 << fraction,
                   ones - 1, (ones >> fraction >> 1) << fraction]
    else:
        near = draw.integers(0, 200, count).astype(dtype) - dtype.type(100)
        special = [0, 1, (1 << size) - 1, 1 << (size - 1), (1 << (size - 1)) - 1, 1 << (size // 2)]
    code = np.where(usual, near, code)
    code = np.where(rare, np.array(special, np.uint64)[draw.integers(0, len(special), count)].astype(dtype), code)
    return np.ascontiguousarray(code.astype(dtype)).view(unsigned_of(kind))


def parse(forms):
    for line in filter(None, forms.splitlines()):
        result, text, kinds, *units = (part.strip() for part in line.split("|"))
        yield result, text, kinds.split(), int(units[0]) if units else 0


def width(kind):
    return {"count": 32, "usual": 32, "finite": 32}.get(kind) or bits_of(kind)


def kernel(forms, arch):
    """PTX: form i has its sources in rows 3 i and on of `given`, its results in row i of `out`, 64 bits each."""
    names = {16: "%rs", 32: "%r", 64: "%rd"}
    total = THREADS * BLOCKS
    lines = []
    for i, (result, text, kinds, _) in enumerate(forms):
        registers = {"D": names[width(result)] + "9", "Q": "%p1"}
        for k, kind in enumerate(kinds):
            registers["ABC"[k]] = f"{names[width(kind)]}{k + 1}"
            lines.append(f"ld.global.b{width(kind)} {registers['ABC'[k]]}, [%rd20+{(3 * i + k) * total * 8}];")
        for statement in text.split(";"):
            name, _, operands = statement.strip().partition(" ")
            lines.append(f"{name} {', '.join(registers.get(o.strip(), o.strip()) for o in operands.split(','))};")
        lines.append(f"st.global.b{width(result)} [%rd21+{i * total * 8}], {registers['D']};")
    metadata = [{"schema": 1, "compiler": "tilec", "arch": arch},
                {"kernel": "k", "entry": "k", "params": [{"name": "given", "type": "*i64"}, {"name": "out", "type": "*i64"}],
                 "constants": {}, "folded": {}, "hidden": [], "num_warps": THREADS // 32, "num_stages": 1,
                 "threads": THREADS, "cluster": [1, 1, 1], "dynamic_shared": 0, "requires": [], "source": "k:1"}]
    body = "\n  ".join(lines)
    return "".join(f"// tilec: {json.dumps(m)}\n" for m in metadata) + f"""
.version 8.0
.target {arch}
.address_size 64
.visible .entry k(.param .u64 given, .param .u64 out)
.reqntid {THREADS}
{{
  .reg .pred %p<4>;
  .reg .b16 %rs<16>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<32>;
  ld.param.u64 %rd20, [given];
  ld.param.u64 %rd21, [out];
  mov.u32 %r20, %ctaid.x;
  mov.u32 %r21, %tid.x;
  mad.lo.s32 %r22, %r20, {THREADS}, %r21;
  mul.wide.u32 %rd22, %r22, 8;
  add.s64 %rd20, %rd20, %rd22;
  add.s64 %rd21, %rd21, %rd22;
  {body}
  ret;
}}
"""


def differing(result, units, got, want):
    """Where bits differ, but for NaN and the last places of approximations."""
    element, _ = unpack(result)
    wrong = got != want
    if is_float(result):
        parts = [np.ascontiguousarray(x.astype(unsigned_of(result))).view(unsigned_of(element)) for x in (got, want)]
        numbers = [decode(element, part) for part in parts]
        same = (parts[0] == parts[1]) | (np.isnan(numbers[0]) & np.isnan(numbers[1]))
        if units:
            same |= np.abs(parts[0].astype(np.int64) - parts[1].astype(np.int64)) <= units
        wrong = ~same.reshape(got.size, -1).all(1)
    return np.flatnonzero(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tile_run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arch", default="sm_80")
    parser.add_argument("--keep")
    options = parser.parse_args()
    np.seterr(all="ignore")
    forms = list(parse(FORMS + (HOPPER if options.arch >= "sm_90" else "")))
    draw, total = np.random.default_rng(options.seed), THREADS * BLOCKS
    given = np.zeros((3 * len(forms), total), np.uint64)
    for i, (_, _, kinds, _) in enumerate(forms):
        for k, kind in enumerate(kinds):
            given[3 * i + k] = sources(draw, kind, total)
    text = kernel(forms, options.arch)
    if options.keep:
        pathlib.Path(options.keep).write_text(text)
    _, want = host.run(text, "k", [given, np.zeros((len(forms), total), np.uint64)], (BLOCKS, 1, 1))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "k.ptx").write_text(text)
        np.save(f"{folder}/given.npy", given.view(np.int64))
        subprocess.run([options.tile_run, f"{folder}/k.ptx", "--device", "cuda", "--grid", str(BLOCKS),
                        f"given=@{folder}/given.npy", f"out=zeros(i64,{len(forms)},{total})", "--save",
                        f"out={folder}/out.npy"], check=True)
        got = np.load(f"{folder}/out.npy").view(np.uint64)
    failed = 0
    for i, (result, instruction, kinds, units) in enumerate(forms):
        wrong = differing(result, units, got[i], want[i])
        failed += bool(wrong.size)
        if wrong.size:
            n = wrong[0]
            values = ", ".join(hex(given[3 * i + k, n]) for k in range(len(kinds)))
            print(f"{instruction}: {wrong.size} of {total} differ; of {values} the GPU gives {got[i, n]:#x}, the emulator "
                  f"{want[i, n]:#x}")
    print(f"{len(forms) - failed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
