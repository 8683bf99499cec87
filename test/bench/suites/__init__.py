"""The suites: a module each, with its cases or its rows."""
import statistics
import time


def seconds(run, times):
    """Median and relative spread of some runs; others have gone before."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken), (max(taken) - min(taken)) / statistics.median(taken)
