"""Puts every ```mlir fence of the project's pages on standard output, apart by `// -----`.

usage: docs_examples.py ROOT. Each fence is preceded by a comment that names its page
and line, for reading errors.
"""

import pathlib
import sys


def fences(path):
    """(first line number, text) of each fence of the page."""
    start, text = 0, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if start and line.strip() == "```":
            yield start, "\n".join(text)
            start, text = 0, []
        elif start:
            text.append(line)
        elif line.strip() == "```mlir":
            start = number
    if start:
        sys.exit(f"{path}:{start}: error: the fence has no end")


root = pathlib.Path(sys.argv[1])
pages = sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")])
examples = [f"// {page}:{line}\n{text}\n" for page in pages for line, text in fences(page)]
if not examples:
    sys.exit("error: no example in any page")
print("\n// -----\n\n".join(examples))
