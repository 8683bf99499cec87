"""Runs the code of elementary functions on the CPU and compares its errors with the
tables in docs/Performance.md.

    accuracy.py CXX [COUNT]

Every function is compiled to LLVM IR, in which the few instructions of the GPU become
calls of C functions (`ex2` and its like are taken as exact there); `llc` and the C++
compiler make a library of it. COUNT arguments of each kind, and the special ones, are
compared with the C library's long double, and a twentieth of them with the decimal
arithmetic of special.py where that library has no such function.
"""

import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import special

ROOT = pathlib.Path(__file__).resolve().parents[4]
UNARY = "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc rsqrt rcbrt"
BINARY = "pow atan2 hypot rhypot"
ORDERED = "jn yn"  # the first argument is a whole number
NUMPY = dict(asin="arcsin", acos="arccos", atan="arctan", asinh="arcsinh", acosh="arccosh", atanh="arctanh")

MACHINE = """
#include <cmath>
static unsigned program;
extern "C" {
unsigned sreg_tid_x() { return 0; }
unsigned sreg_ctaid_x() { return program; }
float ex2_approx_ftz_f32(float x) { return std::exp2(x); }
float lg2_approx_f(float x) { return std::log2(x); }
float rcp_approx_ftz_f(float x) { return 1 / x; }
float rsqrt_approx_f(float x) { return float(1 / std::sqrt(double(x))); }
void store32(unsigned *to, unsigned bits, bool is) { if (is) *to = bits; }
void store64(unsigned long *to, unsigned long bits, bool is) { if (is) *to = bits; }
void run(void (*kernel)(void *, void *, void *), void *x, void *y, void *out, unsigned n) {
  for (program = 0; program < n; ++program)
    kernel(x, y, out);
}
}
"""


def names():
    return UNARY.split() + BINARY.split() + list(special.FUNCTIONS)


def source():
    """Kernels that apply a function to one element."""
    lines = ["from triton.language.extra import libdevice"]
    for kind in ["f32", "f64"]:
        for name in names():
            second = ", load(y + i)" if name in BINARY.split() else ""
            first = "load(y + i).to(int32), " if name in ORDERED.split() else ""
            lines += [
                "@kernel(num_warps=1)",
                f"def {name}_{kind}(x: ptr[{kind}], y: ptr[{kind}], out: ptr[{kind}]):",
                "    i = program_id(0)",
                f"    store(out + i, libdevice.{name}({first}load(x + i){second}))",
            ]
    return "\n".join(lines) + "\n"


def for_cpu(ir):
    """LLVM IR of the GPU as IR of this machine."""
    ir = re.sub(r"^target .*\n", "", ir, flags=re.M)
    ir = ir.replace("ptx_kernel ", "").replace(" addrspace(1)", "")
    ir = re.sub(r"@llvm\.nvvm\.(?:read\.ptx\.)?([\w.]+)\(", lambda m: "@" + m[1].replace(".", "_") + "(", ir)
    store = r'asm sideeffect "@\$2 st\.global\.b(32|64) \[\$1\], \$0;", "[rl],l,b"\((i\d+ %[\w.]+), (ptr %[\w.]+), (i1 %[\w.]+)\)'
    ir, count = re.subn(store, r"@store\1(\3, \2, \4)", ir)
    assert count and "asm" not in ir, "unexpected inline assembly"
    return ir + "\ndeclare void @store32(ptr, i32, i1)\ndeclare void @store64(ptr, i64, i1)\n"


def build(folder, cxx):
    (folder / "k.tile").write_text(source())
    ir = subprocess.run(["tilec", folder / "k.tile", "--emit=llvmir", "-o", "-"], check=True, capture_output=True, text=True).stdout
    (folder / "k.ll").write_text(for_cpu(ir))
    (folder / "machine.cpp").write_text(MACHINE)
    subprocess.run(["llc", "-O1", "--relocation-model=pic", "--filetype=obj", folder / "k.ll", "-o", folder / "k.o"], check=True)
    subprocess.run([cxx, "-O1", "-shared", "-fPIC", folder / "machine.cpp", folder / "k.o", "-o", folder / "k.so", "-lm"], check=True)
    return ctypes.CDLL(str(folder / "k.so"))


def arguments(kind, count, rng):
    """Numbers of all magnitudes, those near 0 and 1, and special ones."""
    info = np.finfo(kind)
    bits = np.dtype(kind).itemsize * 8
    top = info.maxexp
    unit = rng.random(count) * 2 - 1
    special = [0, -0.0, 1, -1, 0.5, 2, -2, 3, 8, 10, 27, 1000, np.inf, -np.inf, np.nan, info.max, -info.max, info.tiny, info.smallest_subnormal,
               -info.smallest_subnormal, 1e5, 1e22, 2.0**30, top * np.log(2.0), (info.minexp - info.nmant) * np.log(2.0), top, 1 + info.eps,
               1 - info.epsneg, np.pi / 2, np.pi, 11 / 8 * np.pi * 1e6]  # fmt: skip
    with np.errstate(over="ignore"):
        parts = [rng.integers(0, 2**bits - 1, count, np.uint64, endpoint=True).astype(f"u{bits // 8}").view(kind), unit, unit * 20, unit * 0.8 * top,
                 1 + unit * 2**-16, np.ldexp(unit, -rng.integers(0, 60, count)), np.ldexp(unit, rng.integers(0, top, count)), 1 + abs(unit)]  # fmt: skip
        return np.concatenate([np.array(part, dtype=kind) for part in [special, *parts]])


def few_arguments(kind, count, rng):
    """Those of functions that have zeros, poles and orders."""
    zeros = [2.404825557695773, 5.520078110286311, 3.8317059702075125, 7.015586669815619, 0.8935769662791675, 3.957678419314858, 7.086051060301773,
             2.197141326031017, 5.429681040794135, 3, 8, 171.6243769563027, 35.04010009765625, 26.6, -0.5, 1.25, -2.4570247382208006]  # fmt: skip
    zeros = np.array(zeros, dtype=kind)
    middle = rng.random(count) * 200
    parts = [arguments(kind, count, rng), zeros, np.nextafter(zeros, 0), np.nextafter(zeros, 10), middle, -middle, middle / 20, 3 + middle / 40]
    parts += [np.array([-1, -2, -3, -7, -8, -9, -20, -170, -180.5, -200, 1, 2], dtype=kind)]
    x = np.concatenate(parts).astype(kind)
    orders = rng.permutation(np.arange(len(x)) % 60 - 1).astype(kind)
    return x, orders


def reference(name, kind, x, y):
    wide = np.float64 if kind == "f4" else np.longdouble
    x, y = x.astype(wide), y.astype(wide)
    if name in ["erf", "erfc"]:
        function = getattr(ctypes.CDLL("libm.so.6"), name + "l")
        function.restype, function.argtypes = ctypes.c_longdouble, [ctypes.c_longdouble]
        return np.array([function(float(v)) for v in x], dtype=wide)
    if name == "rsqrt":
        return 1 / np.sqrt(x)
    if name == "rcbrt":
        return 1 / np.cbrt(x)
    if name in BINARY.split():
        return dict(pow=np.power, atan2=np.arctan2, hypot=np.hypot, rhypot=lambda x, y: 1 / np.hypot(x, y))[name](x, y)
    if name in special.FUNCTIONS:
        return np.array([np.longdouble(str(special.value(name, float(v), int(n)))) for v, n in zip(x, y)]).astype(wide)
    return getattr(np, NUMPY.get(name, name))(x)


def least(name, x, y):
    """Errors are measured against at least this, near zeros that the functions do not
    treat: of Bessel functions their amplitude, beyond 8 or the order, of lgamma 1."""
    if name in ["j0", "j1", "y0", "y1", "jn", "yn"]:
        return np.where(abs(x) >= (y if name[1] == "n" else 8), np.sqrt(2 / np.pi / abs(x)), 0)
    return np.where(x < -2, 1, 0) if name == "lgamma" else x * 0


def worst(name, kind, got, want, x, y):
    """The largest error in units in the last place of the true value, and where."""
    info = np.finfo(kind)
    rounded = want.astype(kind)
    size = np.fmax(abs(rounded), least(name, x, y).astype(kind))
    unit = np.spacing(np.minimum(np.maximum(size, info.tiny), info.max)).astype(want.dtype)
    error = abs(got.astype(want.dtype) - want) / unit
    # A value that overflows may be the largest number, and the other way round.
    edge = (np.isinf(rounded) ^ np.isinf(got)) & ((abs(want) / 2 < info.max) & (abs(got / 2) > info.max / 4) | (abs(got) > info.max / 2) & (abs(want) > info.max / 2))
    error = np.where((got == rounded) | edge | (np.isnan(got) & np.isnan(want)), np.where(np.isfinite(error), error, 0), error)
    error = np.where(np.isnan(error), np.inf, error)
    error = np.where((got == 0) & (rounded == 0) & (np.signbit(got) != np.signbit(rounded)), np.inf, error)
    at = int(np.argmax(error))
    return error[at], f"({x[at]!r}, {y[at]!r}): {got[at]!r}, not {rounded[at]!r}"


def bounds(kind):
    """The figures of the page: the table behind the sentence that names the type."""
    page = (ROOT / "docs/Performance.md").read_text().split("## Accuracy of the mathematics")[1]
    table = page.split(f"Largest error of {kind} ")[1].split("\n\n")[1]
    found = {}
    for row in table.splitlines()[2:]:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        for names, figures in zip(cells[::2], cells[1::2]):
            found |= {name.replace("powf", "pow"): float(figure) for name, figure in zip(names.split(", "), figures.split(", ")) if figure}
    return found


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    failures = 0
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        library = build(pathlib.Path(folder), sys.argv[1])
        for kind, numpy_kind in [("f32", "f4"), ("f64", "f8")]:
            rng = np.random.default_rng(1)
            x, y = (arguments(numpy_kind, count, rng) for _ in range(2))
            y = rng.permutation(y)
            few, orders = few_arguments(numpy_kind, count // 20, rng)
            for name in names():
                a, b = (few, orders) if name in special.FUNCTIONS else (x, y)
                out = np.zeros_like(a)
                pointers = [ctypes.c_void_p(array.ctypes.data) for array in [a, b, out]]
                library.run(getattr(library, f"{name}_{kind}"), *pointers, ctypes.c_uint(len(a)))
                error, where = worst(name, numpy_kind, out, reference(name, numpy_kind, a, b), a, b)
                figures = bounds(kind)
                bound = figures.get(name, figures.get("others", 0))
                good = error <= bound + 0.05  # other samples
                failures += not good
                print(f"{name} {kind}: {error:.2f} ulp" + ("" if good else f" is more than {bound} at {where}"))
    print("ok" if not failures else f"{failures} functions are less accurate than the page says")
    sys.exit(failures > 0)


main()
