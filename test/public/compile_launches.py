"""Compiles the kernels that record_launches.py wrote down, with the types and constants of their launches.

usage: compile_launches.py TILEC OUT RECORDS... [--arch sm_80 --arch sm_90a] [--assemble] [--jobs N] [--name PART]

RECORDS are folders of record_launches.py, or .jsonl files. Each distinct (kernel, signature, options) is one run of
`tilec` for each architecture. OUT gets

    ptx/            what was compiled; with --assemble, ptxas has accepted it, too
    results.jsonl   a line for each: kernel, command, message of a failure, seconds of the process
    summary.md      kernels and compilations by project, failures by message, compile times

A kernel counts as failed if one of its compilations fails. Where a compilation fails it is tried once more with the
constants of modules that the record has (`-D NAME=VALUE`), for those that need Python. Seconds are those of the
processor, which other work on the machine does not change. Exits with 1 if anything failed.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading

LIMIT = 600  # seconds until a compilation counts as hanging


def read(places):
    """The launches of folders and files, each compilation once."""
    found = {}
    for place in map(pathlib.Path, places):
        file = place / "launches.jsonl" if place.is_dir() else place
        for line in file.read_text().splitlines():
            record = json.loads(line)
            record["project"] = place.stem
            record["folder"] = str(file.parent)
            found[tuple(str(record[k]) for k in ("file", "name", "signature", "warps", "stages"))] = record
    return list(found.values())


def options(record):
    """What `tilec` and `tile-run` are told of a launch."""
    return [record["file"], "-I", record["root"], "--kernel", record["name"], "--sig", record["signature"],
            "--num-warps", str(record["warps"]), "--num-stages", str(record["stages"])]


def run(command):
    """(the message of a failure or "", seconds of the processor)."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        clock = threading.Timer(LIMIT, process.kill)
        clock.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        clock.cancel()
        errors.seek(0)
        text = errors.read().strip()
    message = "" if process.returncode == 0 else text or f"error: ended with {process.returncode}"
    return message, round(usage.ru_utime + usage.ru_stime, 3)


def compile_one(job):
    tilec, out, record, number, arch, assemble = job
    ptx = out / "ptx" / f"{number:04}-{record['name']}-{arch}.ptx"
    command = [tilec, *options(record), "--arch", arch, "-o", str(ptx)]
    message, seconds = run(command)
    if message and record["globals"]:
        with_constants = command + [f"-D{name}={value}" for name, value in record["globals"].items()]
        again, seconds = run(with_constants)
        message, command = (message, command) if again else ("", with_constants)
    if assemble and not message:
        message = run(["ptxas", f"-arch={arch}", str(ptx), "-o", "/dev/null"])[0]
    return {"kernel": record["name"], "project": record["project"], "file": record["file"], "arch": arch, "test": record["test"],
            "seconds": seconds, "message": message, "command": shlex.join(command)}


def first_error(message):
    """The kind of a failure: its first error, without places and numbers."""
    lines = [line for line in message.splitlines() if "error" in line] or [message.splitlines()[-1]]
    return re.sub(r"\d+", "N", lines[0].split("error: ", 1)[-1])[:160]


def summary(results):
    kernels = collections.defaultdict(list)
    for result in results:
        kernels[result["project"], result["file"], result["kernel"]].append(result)
    yield "| project | kernels | that fail | compilations | that fail |\n|---|---|---|---|---|"
    for project in [*dict.fromkeys(r["project"] for r in results), "all"]:
        those = [k for (p, _, _), k in kernels.items() if project in (p, "all")]
        runs = [r for k in those for r in k]
        yield (f"| {project} | {len(those)} | {sum(any(r['message'] for r in k) for k in those)} | {len(runs)} | "
               f"{sum(bool(r['message']) for r in runs)} |")
    times = sorted(r["seconds"] for r in results if not r["message"])
    if times:
        yield (f"\nSeconds: median {statistics.median(times):.3f}, 90 % {times[len(times) * 9 // 10]:.3f}, "
               f"worst {times[-1]:.3f}\n\n| seconds | kernel | arch |\n|---|---|---|")
        for result in sorted(results, key=lambda r: -r["seconds"])[:20]:
            yield f"| {result['seconds']} | {result['kernel']} | {result['arch']} |"
    failures = collections.defaultdict(list)
    for result in results:
        if result["message"]:
            failures[first_error(result["message"])].append(result)
    yield "\n| failure | compilations | kernels |\n|---|---|---|"
    for message, those in sorted(failures.items(), key=lambda f: -len(f[1])):
        yield f"| {message.replace('|', '/')} | {len(those)} | {', '.join(sorted({r['kernel'] for r in those}))} |"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("tilec", "out"):
        parser.add_argument(name)
    parser.add_argument("records", nargs="+")
    parser.add_argument("--arch", action="append")
    parser.add_argument("--assemble", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--name", default="", help="only kernels whose name contains this")
    given = parser.parse_args()
    out = pathlib.Path(given.out)
    (out / "ptx").mkdir(parents=True, exist_ok=True)
    records = [r for r in read(given.records) if given.name in r["name"]]
    jobs = [(given.tilec, out, record, number, arch, given.assemble)
            for number, record in enumerate(records) for arch in given.arch or ["sm_80", "sm_90a"]]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool, open(out / "results.jsonl", "w") as file:
        results = []
        for result in pool.map(compile_one, jobs):
            results.append(result)
            print(json.dumps(result), file=file, flush=True)
    text = "\n".join(summary(results))
    (out / "summary.md").write_text(text + "\n")
    print(text)
    sys.exit(any(r["message"] for r in results))


if __name__ == "__main__":
    main()
