#!/usr/bin/env python3
"""What the two libraries cost a program: bytes, the time to open them, and the time to their first use.

usage: library_cost.py

Prints a Markdown table: medians over fresh processes. The first use of libtilec compiles a vector addition for sm_80, that of
libtilec-rt looks for the driver, or says that there is none. Where a process fails, its row says how; the status is then 1.
"""
import os
import statistics
import subprocess
import sys

from capi import find_library

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 21
# In a process of its own: times of opening and of a first use, in ms.
PROGRAM = """
import sys, time, ctypes
sys.path.insert(0, sys.argv[2])
begin = time.perf_counter(); ctypes.CDLL(sys.argv[1]); opened = time.perf_counter()
import capi, engine
if sys.argv[1].endswith("libtilec.so.0"):
    compiler = capi.Compiler(); start = time.perf_counter()
    compiler.compile(engine.SOURCE, "add_kernel", ["*fp32:16"] * 3 + ["i32:16"], dict(BLOCK=1024), arch="sm_80")
else:
    runtime = capi.Library("libtilec-rt.so.0"); start = time.perf_counter()
    try:
        runtime.handle("tilecrt_driver_load", None, free="tilecrt_driver_free")
    except capi.Error:
        pass
print((opened - begin) * 1e3, (time.perf_counter() - start) * 1e3)
"""


def measure(path):
    """Whether all processes did well, and the cells of a row after the size: times of opening and of the first use, or how one
    failed."""
    runs = []
    for _ in range(RUNS):
        one = subprocess.run([sys.executable, "-c", PROGRAM, path, HERE], capture_output=True, text=True)
        if one.returncode:
            print(one.stderr, end="", file=sys.stderr)
            return False, "– | " + (one.stderr.strip().splitlines() or [f"the process ended with code {one.returncode}"])[-1]
        runs.append(one.stdout.split())
    opened, used = (statistics.median(float(run[i]) for run in runs) for i in (0, 1))
    return True, f"{opened:.2f} | {used:.1f}"


def main():
    failed = 0
    print("| library | size, MB | open, ms | first use, ms |\n|---|---|---|---|")
    for name in ("libtilec.so.0", "libtilec-rt.so.0"):
        path = find_library(name)
        right, cells = measure(path)
        failed += not right
        print(f"| `{name.partition('.so')[0]}` | {os.path.getsize(os.path.realpath(path)) / 1e6:.1f} | {cells} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
