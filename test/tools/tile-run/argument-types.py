# The type of a parameter: what --sig says, else its annotation, else the value that it gets, else its default.
# rule: argument-order, argument-annotation, argument-one

# RUN: tile-run %s --kernel widths --grid 1 "out=zeros(i32,4)" a=1 b=2 c=3 --save out=%t.npy
# RUN: %python -c "import numpy; assert numpy.load('%t.npy').tolist() == [64, 32, 64, 8]"
# RUN: tile-run %s --kernel widths --sig "*i32, i16, i32, i8, 16" --grid 1 "out=zeros(i32,4)" a=1 b=2 c=3 --save out=%t.npy
# RUN: %python -c "import numpy; assert numpy.load('%t.npy').tolist() == [16, 32, 8, 16]"
# RUN: tile-run %s --kernel widths --sig "*i32, i32:1, i32, i64" -D D=2 --grid 1 "out=zeros(i32,4)" a=1 b=2 c=3 --save out=%t.npy
# RUN: %python -c "import numpy; assert numpy.load('%t.npy').tolist() == [32, 32, 64, 2]"
import triton
import triton.language as tl


@triton.jit
def widths(out, a: tl.int64, b, c: "i64", D: tl.constexpr = 8):
    tl.store(out, a.dtype.primitive_bitwidth)
    tl.store(out + 1, b.dtype.primitive_bitwidth)
    tl.store(out + 2, c.dtype.primitive_bitwidth)
    tl.store(out + 3, D)
