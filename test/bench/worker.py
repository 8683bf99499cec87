"""Runs the cases that need the GPU, in one process, and says on standard output what it is doing: one JSON object a line.

bench.py starts it, and starts it again without the side at fault when a side takes the GPU down or hangs.
"""
import hashlib
import json
import math
import os
import re
import sys
import time

import torch

import case as cases
import measure
import sides
from engine import GpuEngine, hints

LOST = 3  # exit code: the device is of no more use to this process


def say(event, **fields):
    print(json.dumps(dict(event=event, **fields)), flush=True)


def make_sets(case, l2_bytes):
    """The sets of buffers: so many that twice the L2 cache passes between two uses of one."""
    first = case.data()
    size = sum(value.nbytes for value in first.values())
    free = torch.cuda.mem_get_info()[0] if cases.DEVICE == "cuda" else size
    count = 1 + min(math.ceil(2 * l2_bytes / size), 63, int(free / 2 / size))
    return [first] + [cases.Data({k: v.clone() for k, v in first.items()}) for _ in range(count - 1)]


def row_of(case, name, unit=None, **fields):
    return dict(suite=case.suite, case=case.name, side=name, unit=unit or case.unit, **fields)


def run_case(case, engine, monitor, skipped, options):
    """Tunes and times all sides of a case and says a row for each."""
    sets = make_sets(case, engine.runtime.l2_bytes)
    want = case.want(sets[0])
    torch.cuda.empty_cache()
    found, errors = {}, {}
    for name, candidates in sides.all_sides(case, sets, engine, options["sm80"]).items():
        if name in skipped:
            say("row", row=row_of(case, name, failure=skipped[name]))
            continue
        if not re.search(options["sides"], name):
            continue
        side, ms, error = measure.tune(candidates, case, sets, want, lambda c, name=name: say("try", case=case.name, side=name, config=c))
        if side is None:
            say("row", row=row_of(case, name, failure=ms))
        else:
            found[name], errors[name] = (side, ms), error
    say("try", case=case.name, side="all", config="measuring")
    if found:
        measure.compare(case, sets, want, list(found.values()), monitor)
    for name, (side, _) in found.items():
        say("row", row=timed_row(case, name, side, errors[name], monitor, len(sets)))


def timed_row(case, name, side, error, monitor, num_sets):
    if side.failure:
        return row_of(case, name, config=side.config, failure=side.failure)
    times = sorted(side.times)
    ms = times[len(times) // 2]
    return row_of(case, name, value=round(case.rate(ms), 2), ms=round(ms, 6), passes_ms=[round(t, 6) for t in side.times],
                  spread=round((times[-1] - times[0]) / ms, 4), error=error,
                  config=side.config, launches=side.count, buffer_sets=num_sets, gpu=monitor.summary())


def prepare(case, engine, claims):
    """Compiles what the case needs into the caches of the driver, of Triton and of PyTorch. Workers share the work: each
    piece belongs to who makes its file in the folder `claims` first."""
    cases.DEVICE = "meta"  # addresses do not matter for that
    data = case.data()
    for program, config in sides.configurations(case):
        arguments = program.arguments(data)
        if claim(claims, program.kernel, hints(arguments), config):
            for attempt in (lambda: engine.compile(program.kernel, arguments, config), lambda: warm_triton(program, arguments, config)):
                quietly(attempt)
    if case.descriptors and claim(claims, case.name, "descriptors"):
        quietly(lambda: warm_descriptors(case))
    for name, function in case.peers.items():
        if "compile" in name and claim(claims, case.name, name):
            cases.DEVICE = "cuda"
            quietly(lambda: function(case.data()))


def claim(folder, *what):
    """Whether nobody else does this piece of work."""
    name = hashlib.sha256(repr(what).encode()).hexdigest()
    try:
        os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def quietly(attempt):
    """What fails here fails again where it is reported."""
    try:
        attempt()
    except Exception:
        pass


def warm_triton(program, arguments, config):
    import triton_kernels
    getattr(triton_kernels, program.kernel).warmup(*arguments, grid=program.grid(config), **config)


def warm_descriptors(case):
    """Runs Triton's kernel, once in each configuration."""
    cases.DEVICE = "cuda"
    data = case.data()
    configs, make = case.descriptors
    for config in configs:
        quietly(make(config, data))


def rehearse(case, engine, say_line):
    """Runs a small case without a GPU: tilec by its interpreter, and PyTorch's eager operations. True if all are right."""
    sets = [case.data()]
    want = case.want(sets[0])
    right = True
    candidates = [(f"tilec {p.kernel} {c}", sides.maker(case, sets, p, c, sides.tilec_launches(engine, p))) for p, c in sides.configurations(case)]
    candidates += [(n, lambda f=f: sides.peer(sets, f)) for n, f in case.peers.items() if n in ("PyTorch", "cuBLAS")]
    for name, make in candidates:
        try:
            measure.poison(sets, case.poisoned)
            side = make()
            side.launches[0]()
            verdict = measure.verdict(side, case, want)
            text, ok = verdict.reason or f"error {verdict.error:.1e}", verdict.ok
        except Exception as problem:
            text, ok = str(problem)[:200], False
        right &= ok
        say_line(f"{'right' if ok else 'WRONG'}: {case.name}: {name}: {text}")
    return right


def main():
    """Reads what to do as JSON from standard input."""
    options = json.load(sys.stdin)
    torch.manual_seed(0)
    torch.cuda.set_stream(torch.cuda.Stream())  # graphs cannot be captured on the default one
    engine, monitor = GpuEngine(options["arch"]), measure.Monitor()
    begin = time.perf_counter()
    if not options["prepare"]:
        say("environment", environment=environment(engine))
    for case in listed(options):
        say("begin", case=case.name)
        try:
            if options["prepare"]:
                prepare(case, engine, options["claims"])
            else:
                run_case(case, engine, monitor, options["skipped"].get(case.name, {}), options)
        except (measure.DeviceLost, torch.AcceleratorError) as problem:
            say("lost", failure=str(problem)[:300])
            return LOST
        except Exception as problem:
            say("row", row=row_of(case, "all", failure=f"{type(problem).__name__}: {problem}"[:300]))
        say("end", case=case.name, seconds=round(time.perf_counter() - begin, 1))
        torch.cuda.empty_cache()
    return 0


def listed(options):
    """The cases that were asked for by name."""
    import bench
    known = {case.name: case for case in bench.gpu_cases(options["scale"])}
    return [known[name] for name in options["cases"]]


def environment(engine):
    import triton
    properties = torch.cuda.get_device_properties(0)
    return dict(device=properties.name, multiprocessors=properties.multi_processor_count, arch=engine.arch, tilec=engine.compiler.version,
                torch=torch.__version__, triton=triton.__version__, cuda=torch.version.cuda, cudnn=torch.backends.cudnn.version())


if __name__ == "__main__":
    sys.exit(main())
