#!/usr/bin/python3
"""Runs lit and ends with one line: `N passed, N failed`.

usage: check.py BUILD_DIR [lit option | file or folder of test/ or examples/] ...
Without a file or folder, runs every suite.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

LIT = "/usr/lib/llvm-22/bin/lit"
PASSES = {"PASS", "XFAIL", "FLAKYPASS"}
IGNORED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def in_suites(path, check):
    """Where the suites below `check` have a source file or folder."""
    folder, *rest = path.resolve().relative_to(ROOT).parts
    suites = {"test": ["tilec", "roundtrip"], "examples": ["examples"]}[folder]
    places = [check / suite / pathlib.Path(*rest) for suite in suites]
    # The round-trip suite has .mlir files only.
    return [str(p) for p in places if "roundtrip" not in p.parts or path.suffix in {"", ".mlir"}]


def main():
    check = pathlib.Path(sys.argv[1]) / "check"
    options, tests = [], []
    for argument in sys.argv[2:]:
        path = pathlib.Path(argument)
        if path.exists():
            tests += in_suites(path, check)
        else:
            options.append(argument)
    tests = tests or [str(suite) for suite in sorted(check.iterdir())]
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.json"
        status = subprocess.run([LIT, "-sv", "-o", results, *options, *tests]).returncode
        try:
            codes = [test["code"] for test in json.loads(results.read_text())["tests"]]
        except (OSError, ValueError):
            codes = []  # lit did not get as far as running a test
    passed = sum(code in PASSES for code in codes)
    failed = sum(code not in PASSES | IGNORED for code in codes)
    if status != 0 or not codes:
        failed = max(failed, 1)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
