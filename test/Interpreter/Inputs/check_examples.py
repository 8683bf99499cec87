"""Runs examples as their `# run:` comments say, checking, in several orders.

usage: check_examples.py FILE.tile...
"""

import pathlib
import re
import shlex
import subprocess
import sys

ORDERS = (["--check", "--seed", "1"], ["--check", "--schedule", "reverse"], ["--check=nan", "--schedule", "parallel"])

failures = 0
for example in sys.argv[1:]:
    text = re.sub(r"\\\n#\s*", "", pathlib.Path(example).read_text())
    for line in re.findall(r"^# run:\s*(.*)$", text, re.M):
        for order in ORDERS:
            command = ["tile-run", example, *shlex.split(line), *order]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0 or done.stdout or done.stderr:
                failures += 1
                print(f"{shlex.join(command)}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
sys.exit(1 if failures else 0)
