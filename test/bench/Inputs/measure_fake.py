"""What measure.py says of sides that are wrong or not there, without PyTorch: the arrays are NumPy's, the graphs do nothing."""
import contextlib
import os
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.modules["torch"] = types.ModuleType("torch")
import numpy as np

import measure
from judge import EXACT


class Array(np.ndarray):
    def fill_(self, value):
        self[...] = value


class Side(measure.Side):
    """Writes `value`, in the set that the graph runs last too."""

    def __init__(self, sets, value):
        super().__init__([lambda d=d: d["y"].fill_(value) for d in sets], lambda i: sets[i])

    def capture(self, count):
        self.graph, self.count = lambda: [launch() for launch in self.launches], count

    def run_ms(self):
        self.graph()
        return 1.0


def timed(value):
    """Why a side that writes this instead of 1 does not count, once it was timed."""
    sets = [dict(y=np.zeros(4).view(Array)) for _ in range(2)]
    side = Side(sets, value)
    measure.compare(CASE, sets, dict(y=np.ones(4)), [(side, 1.0)], contextlib.nullcontext())
    assert side.times == [1.0] * measure.PASSES and side.graph is None
    return side.failure


CASE = types.SimpleNamespace(bounds=dict(y=EXACT), poisoned=["y"])
assert timed(1) is None
assert timed(2).startswith("the timed run is wrong: y: the error is 1.00e+00"), timed(2)
assert timed(np.nan).startswith("the timed run is wrong: y: 4 of 4 elements are not finite"), timed(np.nan)
assert measure.tune([], CASE, [], {}, None) == (None, "there is no configuration", None)
