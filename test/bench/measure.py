"""Times the sides of a case on a GPU, in turns, and refuses those that are wrong.

A side is a list of launches, one for each set of buffers; the sets are the same for all sides and exceed twice the L2
cache between two uses of one. Each side runs as a CUDA graph. Every configuration of a side, and the graph that was
timed, must give the right result from outputs that held NaN.
"""
import statistics
import threading

import torch

from judge import judge_all

MEASURE_MS = 6.0  # of one graph
PASSES = 3
MAX_LAUNCHES = 300


class Side:
    """One implementation with one configuration, as a graph. `launches[i]` runs on set i; `results()` gives, by name, the
    outputs of each set after a run."""

    def __init__(self, launches, results, config=None):
        self.launches, self.results, self.config = launches, results, config
        self.graph, self.count, self.times = None, 0, []

    def capture(self, count):
        self.graph, self.count = torch.cuda.CUDAGraph(), count
        torch.cuda.synchronize()
        self.graph.capture_begin()
        try:
            for i in range(count):
                self.launches[i % len(self.launches)]()
        finally:
            self.graph.capture_end()

    def run_ms(self):
        """Milliseconds of one launch, over all of the graph."""
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / self.count

    def release(self):
        self.graph = None


def poison(sets, names):
    """Makes outputs NaN."""
    for data in sets:
        for name in names:
            data[name].fill_(float("nan"))


def launches_for(ms, num_sets):
    """How many launches of `ms` a graph has: MEASURE_MS of them, and every set as often as the others."""
    count = max(1, min(MAX_LAUNCHES, int(MEASURE_MS / max(ms, 1e-4))))
    return max(num_sets, count - count % num_sets)


def estimate_ms(side):
    """The time of one launch: as a graph that runs all sets, so that short kernels do not wait for the host."""
    side.capture(len(side.launches))
    side.run_ms()
    return statistics.median(side.run_ms() for _ in range(3))


def verdict(side, case, want, which=0):
    """The verdict on the outputs of one set. A side may leave out all but the first: the peers do not return all that the
    kernels write."""
    got = side.results(which)
    first = next(iter(case.bounds))
    return judge_all(got, {name: value for name, value in want.items() if name in got or name == first}, case.bounds)


def tune(make_sides, case, sets, want, announce):
    """The fastest right side of candidates, which are functions that make one; or None and why there is none."""
    best, best_ms, error, failure = None, None, None, "there is no configuration"
    for config, make in make_sides:
        announce(config)
        try:
            poison(sets[:1], case.poisoned)
            side = make()
            side.launches[0]()
            one = verdict(side, case, want)
            if not one.ok:
                failure = f"wrong: {one.reason}"
                continue
            for launch in side.launches[1:]:
                launch()
            ms = estimate_ms(side)
        except Exception as problem:
            failure = " ".join(str(problem).split())[:300] or type(problem).__name__
            reraise_if_lost(problem)
            continue
        side.release()
        if best is None or ms < best_ms:
            best, best_ms, error = side, ms, one.error
    return (best, best_ms, error) if best else (None, failure, None)


def reraise_if_lost(problem):
    """Gives up where the context is of no more use."""
    try:
        torch.cuda.synchronize()
    except Exception:
        raise DeviceLost(str(problem)) from problem


class DeviceLost(RuntimeError):
    """Nothing more can run in this process."""


class Monitor:
    """Reads clocks, power and temperature beside a measurement."""

    def __init__(self):
        try:
            import pynvml
            pynvml.nvmlInit()
            self.nvml, self.gpu = pynvml, pynvml.nvmlDeviceGetHandleByIndex(torch.cuda.current_device())
        except Exception:
            self.nvml = None
        self.samples = []

    def __enter__(self):
        self.samples, self.stop = [], threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        if self.nvml:
            self.thread.start()
        return self

    def watts(self):
        """The power of this moment; where the driver does not tell it, the mean of the last second."""
        instant = self.nvml.nvmlDeviceGetFieldValues(self.gpu, [getattr(self.nvml, "NVML_FI_DEV_POWER_INSTANT", 186)])[0]
        return (self.nvml.nvmlDeviceGetPowerUsage(self.gpu) if instant.nvmlReturn else instant.value.uiVal) / 1000

    def read(self):
        nvml = self.nvml
        while not self.stop.wait(0.01):
            try:
                self.samples.append((nvml.nvmlDeviceGetClockInfo(self.gpu, nvml.NVML_CLOCK_SM), self.watts(),
                                     nvml.nvmlDeviceGetTemperature(self.gpu, nvml.NVML_TEMPERATURE_GPU)))
            except nvml.NVMLError:
                return  # this GPU does not tell

    def __exit__(self, *_):
        self.stop.set()
        if self.nvml:
            self.thread.join()

    def summary(self):
        """MHz (median, least), watts (median, most) and degrees Celsius (most); None where NVML is not there."""
        if not self.samples:
            return None
        clocks, watts, degrees = zip(*self.samples)
        return dict(sm_mhz=statistics.median(clocks), sm_mhz_min=min(clocks), watts=round(statistics.median(watts)),
                    watts_max=round(max(watts)), celsius=max(degrees))


def compare(case, sets, want, sides, monitor):
    """Times the sides in turns; adds `times` to each, and `failure` to one whose timed run was wrong."""
    for side, ms in sides:
        side.capture(launches_for(ms, len(sets)))
    order = [side for side, _ in sides]
    for side in order:  # until the clock is what the load makes it
        for _ in range(4):
            side.run_ms()
    with monitor:
        for _ in range(PASSES):
            for side in order:
                side.run_ms()  # the caches and the clock are this side's own
                side.times.append(statistics.median(side.run_ms() for _ in range(3)))
            order = order[1:] + order[:1]
    for side, _ in sides:
        poison(sets, case.poisoned)
        side.run_ms()
        last = min(side.count, len(sets)) - 1
        verdicts = [verdict(side, case, want, which) for which in sorted({0, last})]
        side.failure = next((f"the timed run is wrong: {v.reason}" for v in verdicts if not v.ok), None)
        side.release()
