"""What bench.py does when a worker loses the GPU, hangs or ends: the side at fault is named and the rest is measured."""
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
    """Answers for each case and side in turn; `fate` is what happens at a (case, side)."""

    def __init__(self, task, fate):
        self.lines, self.code = queue.Queue(), 0
        STARTED.append(list(task["cases"]))
        for case in task["cases"]:
            self.say(event="begin", case=case)
            for side in ("tilec", "Triton"):
                if side in task["skipped"].get(case, {}):
                    self.say(event="row", row=dict(suite="s", case=case, side=side, failure=task["skipped"][case][side]))
                    continue
                self.say(event="try", case=case, side=side, config=dict(BLOCK=7))
                what = fate.get((case, side))
                if what == "hang":
                    return
                if what:
                    self.code = 3 if what == "lost" else -11
                    if what == "lost":
                        self.say(event="lost", failure="an illegal memory access")
                    self.lines.put(None)
                    return
                self.say(event="row", row=dict(suite="s", case=case, side=side, value=1.0))
            self.lines.put("a library prints\n")
            self.say(event="end", case=case, seconds=1)
        self.lines.put(None)

    def say(self, **event):
        self.lines.put(json.dumps(event) + "\n")

    def wait(self):
        return self.code

    def kill(self):
        self.code = -9


def measure(fate):
    STARTED.clear()
    bench.start_worker = lambda task: (lambda worker: (worker, worker.lines))(Worker(task, fate))
    results = bench.Results(None)
    options = types.SimpleNamespace(quick=True, arch=None, sm80=False, sides="", jobs=1)
    bench.run_gpu_suites(options, ["a", "b", "c"], results)
    return {(row["case"], row["side"]): row.get("failure", row.get("value")) for row in results.rows}


right = {(case, side): 1.0 for case in "abc" for side in ("tilec", "Triton")}
assert measure({}) == right and STARTED == [["a", "b", "c"]]
assert measure({("b", "tilec"): "lost"}) == {**right, ("b", "tilec"): "an illegal memory access at {'BLOCK': 7}"}
assert STARTED == [["a", "b", "c"], ["b", "c"]], STARTED
assert measure({("a", "Triton"): "hang"}) == {**right, ("a", "Triton"): "nothing happened for 0.1 s at {'BLOCK': 7}"}
both = measure({("c", "Triton"): "crash", ("c", "tilec"): "lost"})
assert both == {**right, ("c", "tilec"): "an illegal memory access at {'BLOCK': 7}", ("c", "Triton"): "the process ended with code -11 at {'BLOCK': 7}"}, both
assert len(STARTED) == 3
