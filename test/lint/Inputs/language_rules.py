"""Compares the rules of docs/LanguageRules.md with those that tests name.

usage: language_rules.py PAGE TEST_FOLDER

A test names rules after `rule:`, separated by commas. Fails if a rule has no test, if a test names one that the page
lacks, and if the page has a rule twice.
"""
import collections
import pathlib
import re
import sys

page, folder = map(pathlib.Path, sys.argv[1:])
SUFFIXES = {".tile", ".py", ".test", ".mlir"}

rules = [name for row in re.findall(r"^\| ([a-z][a-z0-9-]*(?:, [a-z0-9-]+)*) \| (?!rule \|)", page.read_text(), re.M)
         for name in row.split(", ") if row != "name"]
named = {}
for file in sorted(folder.rglob("*")):
    if file.suffix in SUFFIXES and "lint" not in file.relative_to(folder).parts:
        for line in re.findall(r"\brule: ([a-z0-9, -]+)", file.read_text(errors="replace")):
            for name in re.split(r",\s*", line.strip(" ,")):
                named.setdefault(name, file)

errors = [f"{page.name}: error: the rule '{name}' stands here twice"
          for name, count in collections.Counter(rules).items() if count > 1]
errors += [f"{page.name}: error: no test names the rule '{name}'" for name in rules if name not in named]
errors += [f"{file}: error: there is no rule '{name}' in {page.name}"
           for name, file in named.items() if name not in rules]
if not rules:
    errors.append(f"{page.name}: error: no rule was found")
if errors:
    sys.exit("\n".join(errors))
