"""Wrong, and not needed."""
import triton


@triton.jit
def broken(x:
