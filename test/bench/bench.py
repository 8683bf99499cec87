#!/usr/bin/env python3
"""Measure tilec beside its peers: PyTorch, torch.compile, cuBLAS, cuDNN, FlashAttention-2 and Triton.

usage: bench.py [--suite memory,matmul,attention,compile,launch,interpreter] [--only REGEX] [--quick] [--out results.json]
                [--markdown Performance.md]
       bench.py --list | --self-test | --rehearse | --render results.json ... --markdown Performance.md

On a GPU every case runs all sides interleaved in one process: the same kernel source (triton_kernels.py) through tilec's C
interface and through Triton, each tuned over the same configurations, and the same computation by PyTorch's libraries. A
side whose result is wrong or unwritten has no time. Sides run as CUDA graphs over the same rotated sets of buffers; the
figure is the median of three passes. A side that hangs or loses the device is named, and the rest goes on without it.
Results go to one JSON file, which is rewritten after every case; a Markdown page gets its tables replaced.
"""
import argparse
import collections
import datetime
import importlib
import importlib.util
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time

import report

HERE = os.path.dirname(os.path.abspath(__file__))
GPU_SUITES = ("memory", "matmul", "attention")
HOST_SUITES = ("compile", "launch", "interpreter")
HANG_S = 100  # without a word from the worker
WARM_S = 100  # for compiling beforehand


def gpu_cases(scale, suites=GPU_SUITES):
    for suite in suites:
        yield from importlib.import_module(f"suites.{suite}").cases(scale)


def start_worker(options):
    """A worker with its task, and a queue of the lines that it says; None ends them."""
    worker = subprocess.Popen([sys.executable, os.path.join(HERE, "worker.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE,
                              env=dict(os.environ, PYTHONPATH=HERE, TORCHINDUCTOR_COMPILE_THREADS="1"),
                              stderr=None if not options["prepare"] else subprocess.DEVNULL)
    worker.stdin.write(json.dumps(options))
    worker.stdin.close()
    lines = queue.Queue()

    def read():
        for line in worker.stdout:
            lines.put(line)
        lines.put(None)
    threading.Thread(target=read, daemon=True).start()
    return worker, lines


def run_worker(options, results):
    """Runs cases until the worker ends. Returns the cases that are left, and the (case, side, failure) that ended it."""
    worker, lines = start_worker(options)
    left, current, trying = list(options["cases"]), None, None
    rows, failure = [], None
    while True:
        try:
            line = lines.get(timeout=HANG_S)
        except queue.Empty:
            failure = f"nothing happened for {HANG_S} s"
            worker.kill()
            break
        if line is None:
            break
        try:
            event = json.loads(line)
        except ValueError:
            continue  # some library prints
        if event["event"] == "environment":
            results.environment.update(event["environment"])
        elif event["event"] == "begin":
            current, rows = event["case"], []
        elif event["event"] == "try":
            trying = event
        elif event["event"] == "row":
            rows.append(event["row"])
        elif event["event"] == "lost":
            failure = event["failure"]
        elif event["event"] == "end":
            results.add(rows)
            print(f"# {current}: done at {event['seconds']} s", flush=True)
            left.remove(current)
            current = None
    code = worker.wait()
    if current is None and not failure and not code:
        return [], None
    side = trying["side"] if trying and trying["case"] == current else None
    what = failure or f"the process ended with code {code}"
    return left, (current, side, f"{what} at {trying['config'] if side else 'the start'}")


def run_gpu_suites(options, cases, results):
    """All cases, through as many workers as it takes. Returns how many were left out, since no worker began with them."""
    cases = {case.name: case for case in cases}
    names, left_out = list(cases), 0
    skipped = collections.defaultdict(dict)
    task = dict(cases=names, scale=scale_of(options), arch=options.arch, sm80=options.sm80, sides=options.sides, prepare=False, skipped=skipped)
    if options.jobs > 1:
        warm_caches(task, options.jobs)
    while task["cases"]:
        left, lost = run_worker(task, results)
        if lost:
            case, side, failure = lost
            print(f"# {case}: {side}: {failure}", flush=True)
            if case and side and side not in skipped[case]:
                skipped[case][side] = failure
            else:  # not one side's fault, or again
                given_up = [case] if case else left
                results.add([dict(suite=cases[name].suite, case=name, side="all", unit=cases[name].unit, failure=failure) for name in given_up])
                left_out += 0 if case else len(left)
                left = [name for name in left if name not in given_up]
        task["cases"] = left
    return left_out


def warm_caches(task, jobs):
    """Compiles everything beforehand, in several processes, so that the measuring one waits for nothing."""
    begin = time.time()
    with tempfile.TemporaryDirectory() as claims:
        # Each starts elsewhere in the list.
        names = task["cases"]
        starts = [len(names) * i // jobs for i in range(jobs)]
        workers = [start_worker(dict(task, prepare=True, claims=claims, cases=names[i:] + names[:i])) for i in starts]
        for worker, _ in workers:
            try:
                worker.wait(max(1, begin + WARM_S - time.time()))
            except subprocess.TimeoutExpired:
                worker.kill()
    print(f"# compiled beforehand in {time.time() - begin:.0f} s", flush=True)


class Results:
    """All rows so far, in a file that is always whole."""

    def __init__(self, path):
        self.path, self.rows = path, []
        self.environment = dict(date=datetime.date.today().isoformat(), commit=commit(), **driver())

    def add(self, rows):
        for row in rows:
            print(json.dumps(row), flush=True)
        self.rows += rows
        if self.path:
            with open(self.path + ".part", "w") as file:
                json.dump(dict(environment=self.environment, rows=self.rows), file, indent=1)
            os.replace(self.path + ".part", self.path)


def commit():
    """The commit of the sources, which a bundle keeps in a file."""
    try:
        return open(os.path.join(HERE, "..", "commit")).read().strip()
    except OSError:
        found = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty"], capture_output=True, text=True)
        return found.stdout.strip() or "unknown"


def driver():
    try:
        found = subprocess.run(["nvidia-smi", "--query-gpu=driver_version,power.limit", "--format=csv,noheader"], capture_output=True, text=True)
        version, watts = found.stdout.splitlines()[0].split(", ")
        return dict(driver=version, power_limit=watts)
    except (OSError, IndexError, ValueError):
        return {}


def scale_of(options):
    return "quick" if options.quick else "full"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default=",".join(GPU_SUITES + HOST_SUITES), help="the suites, with commas between; all unless told")
    parser.add_argument("--only", default="", metavar="REGEX", help="the cases whose `suite: name` has this")
    parser.add_argument("--sides", default="", metavar="REGEX", help="the sides whose name has this")
    parser.add_argument("--quick", action="store_true", help="one size of each")
    parser.add_argument("--sm80", action="store_true", help="measure Triton's own code for sm_80 as well")
    parser.add_argument("--arch", help="what tilec compiles for; the GPU's unless told")
    parser.add_argument("--jobs", type=int, default=min(16, os.cpu_count()), help="processes that compile beforehand; 1: none")
    parser.add_argument("--out", metavar="FILE", help="where the results go as JSON")
    parser.add_argument("--markdown", metavar="FILE", help="a page whose tables are replaced by those of the results; begun if it is not there")
    parser.add_argument("--render", metavar="FILE", nargs="+", help="write the tables of results that are there already")
    parser.add_argument("--list", action="store_true", help="show the cases")
    parser.add_argument("--self-test", action="store_true", help="see wrong kernels refused: on the GPU, or without one on the interpreter")
    parser.add_argument("--rehearse", action="store_true", help="run small cases without a GPU, tilec on its interpreter; needs PyTorch")
    options = parser.parse_args()
    options.suites = options.suite.split(",")
    for suite in options.suites:
        if suite not in GPU_SUITES + HOST_SUITES:
            parser.error(f"there is no suite '{suite}', only {', '.join(GPU_SUITES + HOST_SUITES)}")
    check(parser, options)
    return options


def check(parser, options):
    """Ends the program where an option cannot work, before anything is measured."""
    for name in ("only", "sides"):
        try:
            re.compile(getattr(options, name))
        except re.error as problem:
            parser.error(f"--{name}: '{getattr(options, name)}' is no regular expression: {problem}")
    if options.markdown and (why := report.check_page(options.markdown)):
        parser.error(f"--markdown: {why}")
    for path in options.render or []:
        if not os.path.isfile(path):
            parser.error(f"--render: there is no file '{path}'")
    for name in ("out", "markdown"):
        folder = os.path.dirname(os.path.abspath(getattr(options, name) or "here"))
        if not os.access(folder, os.W_OK):
            parser.error(f"--{name}: nothing can be written in '{folder}'")
    needs_numpy = options.self_test or "interpreter" in options.suites and not (options.rehearse or options.render)
    if needs_numpy and importlib.util.find_spec("numpy") is None:
        parser.error(f"this Python, {sys.executable}, has no NumPy: install it, or use another (/usr/bin/python3 on Debian)")
    measures_gpu = not (options.list or options.self_test or options.render) and (options.rehearse or set(options.suites) & set(GPU_SUITES))
    if measures_gpu and importlib.util.find_spec("torch") is None:
        parser.error(f"the suites {', '.join(GPU_SUITES)} need PyTorch, which this Python, {sys.executable}, has not: install it, or choose "
                     f"of {', '.join(HOST_SUITES)} by --suite")


def chosen(options, scale):
    """The cases for a GPU that the options name."""
    suites = [s for s in GPU_SUITES if s in options.suites]
    return [case for case in gpu_cases(scale, suites) if re.search(options.only, f"{case.suite}: {case.name}")]


def rehearse(options):
    import case as cases
    cases.DEVICE = "cpu"
    import worker
    from engine import InterpreterEngine
    engine, right, wrong = InterpreterEngine(), 0, 0
    for case in chosen(options, "tiny"):
        if worker.rehearse(case, engine, print):
            right += 1
        else:
            wrong += 1
    print(f"{right} passed, {wrong} failed")
    return 1 if wrong else 0


def self_test():
    import selftest
    return selftest.run("cuda" if os.path.exists("/dev/nvidiactl") else "cpu")


def show_cases(options):
    shown = 0
    for case in chosen(options, scale_of(options)):
        print(f"{case.suite}: {case.name}")
        shown += 1
    for suite in HOST_SUITES:
        if suite in options.suites:
            for name in importlib.import_module(f"suites.{suite}").names():
                if re.search(options.only, f"{suite}: {name}"):
                    print(f"{suite}: {name}")
                    shown += 1
    if not shown:
        print("no case has this name", file=sys.stderr)
    return 0 if shown else 1


def measure(options):
    results = Results(options.out)
    for suite in HOST_SUITES:
        if suite in options.suites:
            module = importlib.import_module(f"suites.{suite}")
            names = [name for name in module.names() if re.search(options.only, f"{suite}: {name}")]
            if names:
                results.add(module.rows(names, options))
    cases = chosen(options, scale_of(options))
    left_out = run_gpu_suites(options, cases, results) if cases else 0
    show(options, report.of(results.environment, results.rows), results.environment)
    untimed = bool(cases) and not any(row["suite"] in GPU_SUITES and row.get("value") for row in results.rows)
    if untimed:
        print("no side of the suites for a GPU has a time", file=sys.stderr)
    if left_out:
        print(f"{left_out} cases were left out, since the process that measures ended before them", file=sys.stderr)
    return 0 if results.rows and not untimed and not left_out else 1


def show(options, rows, environment):
    print(report.tables(rows, environment))
    if options.markdown:
        report.write(options.markdown, rows, environment)


def render(options):
    rows, environments = [], []
    for path in options.render:
        with open(path) as file:
            results = json.load(file)
        rows += report.of(results["environment"], results["rows"])
        environments.append(results["environment"])
    show(options, rows, report.common(environments))
    return 0


def main():
    options = parse()
    if options.list:
        return show_cases(options)
    if options.self_test:
        return self_test()
    if options.rehearse:
        return rehearse(options)
    if options.render:
        return render(options)
    return measure(options)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # `| head`
        os._exit(141)
