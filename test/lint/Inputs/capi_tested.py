"""Fails when no test in C calls a function of the C interfaces.

usage: capi_tested.py HEADERS TESTS. Functions are those that a header of the folder
HEADERS declares with TILEC_API or defines inline; tests are the .c files of TESTS.
"""

import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FUNCTION = re.compile(r"(?:TILEC_API|static\s+inline)\b[^;{(]*?\b(tilec(?:rt)?_\w+)\s*\(")
CALL = re.compile(r"\b(tilec(?:rt)?_\w+)\s*\(")


def code(file):
    """The text of a file without its comments."""
    return COMMENT.sub(" ", file.read_text())


def main(headers, tests):
    called = {name for file in pathlib.Path(tests).glob("*.c") for name in CALL.findall(code(file))}
    declared = [
        (file.name, name)
        for file in sorted(pathlib.Path(headers).glob("*.h"))
        for name in FUNCTION.findall(code(file))
    ]
    if not declared:
        print("error: no function was found in the headers")
    missing = [(file, name) for file, name in declared if name not in called]
    for file, name in missing:
        print(f"{file}: error: no test in C calls {name}")
    return bool(missing) or not declared


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
