"""What a launch costs the host, in nanoseconds: tilec's runtime from C and C++ beside a bare cuLaunchKernel (the program
launch_cost), and the launches of Triton and PyTorch from Python. Needs the GPU."""
import json
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "seven arguments, from C++"
PYTHON = "add of 16 elements, from Python"


def names():
    return [NAME, PYTHON]


def find_program():
    for place in ("../../bin", "../../../build/test/capi"):
        path = os.path.join(HERE, place, "launch_cost")
        if os.path.exists(path):
            return path
    raise FileNotFoundError("launch_cost is not built")


def row(case, side, **fields):
    return dict(suite="launch", case=case, side=side, unit="ns", **fields)


def native_rows():
    try:
        found = subprocess.run([find_program()], capture_output=True, text=True)
        figures = json.loads(found.stdout)
    except (OSError, ValueError) as problem:
        return [row(NAME, "tilec", failure=str(problem) if isinstance(problem, OSError) else found.stderr.strip()[:300])]
    return [row(NAME, "tilec", value=figures["cpp_ns"]), row(NAME, "tilec, C", value=figures["c_ns"]),
            row(NAME, "bare cuLaunchKernel", value=figures["bare_ns"])]


def host_ns(call, synchronize):
    """The least mean of short bursts, which never fill the GPU's queue."""
    for _ in range(500):
        call()
    best = float("inf")
    for _ in range(25):
        synchronize()
        begin = time.perf_counter_ns()
        for _ in range(400):
            call()
        best = min(best, (time.perf_counter_ns() - begin) / 400)
    return round(best)


def python_rows():
    result = []
    try:
        import torch
        x, y, o = (torch.ones(16, device="cuda") for _ in range(3))
        result.append(row(PYTHON, "PyTorch", value=host_ns(lambda: torch.add(x, y, out=o), torch.cuda.synchronize)))
        import triton_kernels
        kernel = triton_kernels.add_kernel
        result.append(row(PYTHON, "Triton", value=host_ns(lambda: kernel[(1,)](x, y, o, 16, BLOCK=16, num_warps=1), torch.cuda.synchronize)))
    except Exception as problem:
        result.append(row(PYTHON, "PyTorch and Triton", failure=f"{type(problem).__name__}: {problem}"[:300]))
    return result


def rows(names, options):
    return (native_rows() if NAME in names else []) + (python_rows() if PYTHON in names else [])
