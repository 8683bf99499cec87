"""What bench.py does when a worker loses the GPU, hangs or ends: the side at fault is named and the rest is measured. A case
that is lost for another reason has a row that says so."""
import contextlib
import io
import os
import queue
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import json

import bench

bench.HANG_S = 0.1
STARTED = []


class Worker:
    """Answers for each case and side in turn; `fate` is what happens at a (case, side). Side "all" is when they are measured;
    case None is the start."""

    def __init__(self, task, fate):
        self.lines, self.code = queue.Queue(), 0
        STARTED.append(list(task["cases"]))
        if fate.get((None, len(STARTED))):
            self.code = 1
            self.lines.put(None)
            return
        for case in task["cases"]:
            self.say(event="begin", case=case)
            rows = []
            for side in ("tilec", "Triton", "all"):
                if side != "all" and side in task["skipped"].get(case, {}):
                    self.say(event="row", row=dict(suite="memory", case=case, side=side, failure=task["skipped"][case][side]))
                    continue
                self.say(event="try", case=case, side=side, config=dict(BLOCK=7) if side != "all" else "measuring")
                what = fate.get((case, side))
                if what == "hang":
                    return
                if what:
                    self.code = 3 if what == "lost" else -11
                    if what == "lost":
                        self.say(event="lost", failure="an illegal memory access")
                    self.lines.put(None)
                    return
                if side != "all":
                    rows.append(dict(suite="memory", case=case, side=side, value=1.0))
            for row in rows:
                self.say(event="row", row=row)
            self.lines.put("a library prints\n")
            self.say(event="end", case=case, seconds=1)
        self.lines.put(None)

    def say(self, **event):
        self.lines.put(json.dumps(event) + "\n")

    def wait(self):
        return self.code

    def kill(self):
        self.code = -9


OPTIONS = types.SimpleNamespace(quick=True, arch=None, sm80=False, sides="", jobs=1, suites=["memory"], only="", out=None, markdown=None)
CASES = [types.SimpleNamespace(name=name, suite="memory", unit="GB/s") for name in "abc"]


def begin(fate):
    STARTED.clear()
    bench.start_worker = lambda task: (lambda worker: (worker, worker.lines))(Worker(task, fate))


def measure(fate, left_out=0):
    begin(fate)
    results = bench.Results(None)
    assert bench.run_gpu_suites(OPTIONS, CASES, results) == left_out
    assert all(row["suite"] == "memory" for row in results.rows)
    return {(row["case"], row["side"]): row.get("failure", row.get("value")) for row in results.rows}


def status(fate):
    """The exit status of a whole run, and what it says as an error."""
    begin(fate)
    bench.chosen = lambda options, scale: CASES
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        return bench.measure(OPTIONS), said.getvalue()


right = {(case, side): 1.0 for case in "abc" for side in ("tilec", "Triton")}
assert measure({}) == right and STARTED == [["a", "b", "c"]]
assert measure({("b", "tilec"): "lost"}) == {**right, ("b", "tilec"): "an illegal memory access at {'BLOCK': 7}"}
assert STARTED == [["a", "b", "c"], ["b", "c"]], STARTED
assert measure({("a", "Triton"): "hang"}) == {**right, ("a", "Triton"): "nothing happened for 0.1 s at {'BLOCK': 7}"}
both = measure({("c", "Triton"): "crash", ("c", "tilec"): "lost"})
assert both == {**right, ("c", "tilec"): "an illegal memory access at {'BLOCK': 7}", ("c", "Triton"): "the process ended with code -11 at {'BLOCK': 7}"}, both
assert len(STARTED) == 3

# All sides are right, but not while they are compared: once more, then the case is given up.
others = {key: value for key, value in right.items() if key[0] != "b"}
assert measure({("b", "all"): "lost"}) == {**others, ("b", "all"): "an illegal memory access at measuring"}
assert STARTED == [["a", "b", "c"], ["b", "c"], ["c"]], STARTED
# A worker that ends before any side, or before any case.
assert measure({(None, 1): "crash"}, 3) == {(case, "all"): "the process ended with code 1 at the start" for case in "abc"}
lost_later = measure({("b", "tilec"): "lost", (None, 2): "crash"}, 2)
assert lost_later == {("a", "tilec"): 1.0, ("a", "Triton"): 1.0, **{(case, "all"): "the process ended with code 1 at the start" for case in "bc"}}, lost_later

assert status({}) == (0, "") and status({("b", "all"): "lost"}) == (0, "")
assert status({("b", "tilec"): "lost", (None, 2): "crash"}) == (1, "2 cases were left out, since the process that measures ended before them\n")
untimed = status({(case, "all"): "lost" for case in "abc"})
assert untimed == (1, "no side of the suites for a GPU has a time\n"), untimed
