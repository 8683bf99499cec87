"""What capabilities.py imports."""
import triton.language as tl

from capabilities import IN_A_CIRCLE

HAS_GATHER = hasattr(tl, "gather") and hasattr(tl.extra.libdevice, "tanh")
LEVELS = 3
