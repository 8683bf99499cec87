"""Checks what prelude-order.tile saved."""
import sys

import numpy as np

x, o, p, q = (np.load(f"{sys.argv[1]}.{name}.npy") for name in "xopq")
s = np.sort(x, 1)
np.testing.assert_array_equal(o, [s, s[:, ::-1], np.sort(x, 0), x[:, ::-1], x[::-1]])
np.testing.assert_array_equal(p, np.argsort(x, 1))
np.testing.assert_array_equal(q[0], s[:, :-5:-1])
np.testing.assert_array_equal(q[1], [x[i, 4 * i : 4 * i + 4] for i in range(4)])
