"""What imported-conditions.py imports: constants that come from further modules, in a circle too."""
import triton

from conditions_base import HAS_GATHER
from conditions_base import *
from module_without_end import broken

HAS_SCATTER = hasattr(triton.language, "scatter")
IN_A_CIRCLE = IN_A_CIRCLE
EXPLODES = (1 == 1) == (1 == 1)
