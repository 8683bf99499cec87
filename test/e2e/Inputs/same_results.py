"""Runs kernels on the GPU with every number of stages and of warps, and compares what
they leave in memory.

usage: same_results.py TILE_RUN KERNELS.tile...

The results of 1 to 5 stages must be equal bit for bit: stages change when data is
copied, not what is computed. (Not of a kernel that is not equal to itself, run twice:
one that adds floats atomically.) Those of 1 to 16 warps may differ by the order in
which a reduction adds floats: within the relative error 1e-2 for 16-bit and 1e-5 for
wider floats, of the largest element; integers must be equal. A number of warps that
the kernel does not fit is skipped only where the compiler or the driver says so. Ends
with `N passed, N failed`.
"""

import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import numpy as np

RUN = re.compile(r"^# run:\s*(.*)$", re.M)
STAGES = (1, 2, 3, 4, 5)
WARPS = (1, 2, 4, 8, 16)


def runs_of(example):
    text = pathlib.Path(example).read_text().replace("\\\n#", " ")
    return [shlex.split(line) for line in RUN.findall(text)]


def run(tile_run, example, words, options, folder):
    """The arrays after the run by name, or why there was none."""
    arrays = {w.split("=", 1)[0]: w.split("=", 1)[1] for w in words if re.match(r"[A-Za-z_]\w*=.*\(", w)}
    saves = [w for name in arrays for w in ("--save", f"{name}={folder}/{name}.npy")]
    command = [tile_run, example, *words, *options, "--device", "cuda", *saves]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip() or f"exit status {done.returncode}"
    after = {}
    for name, value in arrays.items():
        array = np.load(f"{folder}/{name}.npy")
        if re.match(r"\w+\(bf16", value):
            array = (array.astype(np.uint32) << 16).view(np.float32)
        after[name] = array, 1e-2 if re.match(r"\w+\((bf16|f16)", value) else 1e-5
    return after


def differences(first, other, exact):
    for name, (array, bound) in first.items():
        got = other[name][0]
        if exact or array.dtype.kind != "f":
            if array.tobytes() != got.tobytes():
                yield f"{name} differs in {np.sum(array != got)} of {array.size} elements"
            continue
        # NaN and infinities must stand at the same places.
        want, got = array.astype(np.float64), got.astype(np.float64)
        off = ~((want == got) | np.isnan(want) & np.isnan(got))
        if not off.any():
            continue
        distance, size = np.max(np.abs(got - want)[off]), np.max(np.abs(want[np.isfinite(want)]), initial=1e-30)
        if not distance <= bound * size:
            yield f"{name} differs by {distance}"


def check(tile_run, example, words):
    """Faults of one run line."""
    with tempfile.TemporaryDirectory() as folder:
        for option, counts, is_stages in (("--num-stages", STAGES, True), ("--num-warps", WARPS, False)):
            first, exact = None, is_stages
            if is_stages:
                one, two = (run(tile_run, example, words, [], folder) for _ in range(2))
                exact = isinstance(one, str) or isinstance(two, str) or not list(differences(one, two, True))
            for count in counts:
                got = run(tile_run, example, words, [f"{option}={count}"], folder)
                if isinstance(got, str):
                    # Too many registers for so many threads is the driver's to say.
                    if not is_stages and "resources" in got:
                        continue
                    yield f"{option}={count}: {got}"
                elif first is None:
                    first = got
                else:
                    for text in differences(first, got, exact):
                        yield f"{option}={count}: {text}"


def main():
    tile_run, *examples = sys.argv[1:]
    work = [(example, words) for example in examples for words in runs_of(example)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for (example, words), faults in zip(work, pool.map(lambda w: list(check(tile_run, *w)), work)):
            failed += bool(faults)
            for fault in faults:
                print(f"{pathlib.Path(example).name} {shlex.join(words[:4])}: {fault}")
    print(f"{len(work) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
