import os

import triton.language as tl

BLOCK = tl.constexpr(int(os.environ.get("BLOCK", "64")))
F = tl.float32
EXP = tl.exp
