"""Reads a report as JSON from standard input and checks every member of it."""

import json
import sys

report = json.load(sys.stdin)
assert report["compiler"].startswith("tilec "), report["compiler"]
assert (report["arch"], report["gpu"], report["assembler"]) == ("sm_80", "h200", None), report
(kernel,) = report["kernels"]
assert kernel["entry"] == "vector_add" and kernel["file"] == "k.tile" and kernel["line"] > 0
assert (kernel["num_warps"], kernel["num_stages"], kernel["resources"]) == (4, 3, None)
assert (kernel["shared_bytes"], kernel["barriers"]) == (0, 0)
assert kernel["occupancy"] == {"blocks": 16, "warps": 64, "share": 1, "limiter": "warps"}, kernel["occupancy"]
work = kernel["work"]
assert work["loops"] == [] and work["flops"] == {"add": [{"factor": 1024, "loops": []}]}, work
assert work["dot_flops"] == {}
assert work["bytes_read"] == [{"factor": 8192, "loops": []}], work
assert work["bytes_written"] == [{"factor": 4096, "loops": []}], work
roofline = kernel["roofline"]
assert roofline["bound"] == "memory" and roofline["unit"] == "fp32", roofline
assert roofline["peak_tflops"] == 67 and abs(roofline["intensity"] * 12 - 1) < 1e-6, roofline
assert abs(roofline["ridge"] - 67e3 / 4800) < 1e-3 and abs(roofline["tflops"] - 0.4) < 1e-3, roofline
assert kernel["shared_buffers"] == kernel["shared_accesses"] == kernel["conversions"] == []
load = kernel["global_accesses"][0]
assert load.pop("line") > 0
assert load == {
    "file": "k.tile", "op": "load", "arg": "x_ptr", "tile": "1024xf32", "masked": True,
    "bytes": 16, "instructions": 2, "sectors": 16, "ideal_sectors": 16,
}, load  # fmt: skip
assert [a["op"] for a in kernel["global_accesses"]] == ["load", "load", "store"]
assert kernel["decisions"] == [], kernel["decisions"]
