"""Results as Markdown: a table for each suite, and pages whose tables are renewed.

A page has places for them, `<!-- bench:memory -->` to `<!-- bench -->`; all else in it stays. The place `machine` says on what
and of which commit they are; a table that is of others says so itself, by the `measured` of its rows.
"""
import re

TITLES = {"memory": "GB/s of the bytes that must move", "matmul": "TFLOP/s", "attention": "TFLOP/s", "compile": "ms to PTX, in process, warm",
          "launch": "ns of host time of one call", "interpreter": "s"}
MORE_IS_BETTER = ("memory", "matmul", "attention")
OURS = "tilec"


def by_case(rows):
    """Case -> side -> row, in the order of the rows."""
    cases = {}
    for row in rows:
        cases.setdefault(row["case"], {})[row["side"]] = row
    return cases


def figure(row):
    if row is None:
        return ""
    if "value" not in row:
        return "–"
    value = row["value"]
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def ratio(sides, more_is_better):
    """How many times as good tilec is as the best of the others."""
    own = sides.get(OURS, {}).get("value")
    others = [row["value"] for name, row in sides.items() if not name.startswith(OURS) and "value" in row]
    if not own or not others:
        return "–"
    return f"{own / max(others):.2f}" if more_is_better else f"{min(others) / own:.3g}"


def table(suite, rows, line):
    """The table of one suite; below it what has no time and why, and where it is from if not from where `line` says."""
    cases = by_case(rows)
    names = list(dict.fromkeys(row["side"] for row in rows if row["side"] != "all"))
    names.sort(key=lambda name: (not name.startswith(OURS), not name.startswith("Triton")))
    timed = any("spread" in row for row in rows)
    lines = [f"| case | {' | '.join(names)} | tilec / best peer |" + (" spread |" if timed else ""), "|---" * (len(names) + 2 + timed) + "|"]
    for case, sides in cases.items():
        spread = max((row["spread"] for row in sides.values() if "spread" in row), default=None)
        lines.append(f"| {case} | {' | '.join(figure(sides.get(name)) for name in names)} | {ratio(sides, suite in MORE_IS_BETTER)} |"
                     + (f" {spread:.1%} |" if spread is not None else " – |" if timed else ""))
    return "\n".join(lines + missing(rows, len(cases)) + origins(cases, line))


def missing(rows, num_cases):
    """What has no time and why; what is the same for several cases in one line."""
    reasons = {}
    for row in rows:
        if "failure" in row:
            reasons.setdefault((row["side"], row["failure"]), []).append(row["case"])
    lines = [f"- {side}, {'all cases' if len(cases) == num_cases else ', '.join(cases)}: {failure}" for (side, failure), cases in reasons.items()]
    return ["", "No time:", "", *lines] if lines else []


def origins(cases, line):
    """Where the rows that are shown are from, unless it is what `line` says (None: nothing is said of it)."""
    found = list(dict.fromkeys(row["measured"] for sides in cases.values() for row in sides.values()))
    return ["", f"Measured {'; '.join(one.rstrip('.') for one in found)}."] if len(found) > 1 or line not in (None, *found) else []


def of(environment, rows):
    """The rows of one run, with its origin."""
    return [dict(row, measured=machine(environment)) for row in rows]


def common(environments):
    """What several runs say alike, or only some of them say."""
    result = {}
    for environment in environments:
        result.update(environment)
    return {key: value for key, value in result.items() if all(e.get(key, value) == value for e in environments)}


def machine(environment):
    e = environment.get
    parts = [e("device"), f"driver {e('driver')}" if e("driver") else None, e("power_limit"), f"PyTorch {e('torch')}" if e("torch") else None,
             f"Triton {e('triton')}" if e("triton") else None, f"CUDA {e('cuda')}" if e("cuda") else None,
             f"cuDNN {e('cudnn')}" if e("cudnn") else None, e("tilec"), f"commit {e('commit')}" if e("commit") else None]
    return (f"{e('date')}: " if e("date") else "") + ", ".join(str(part) for part in parts if part) + "."


def suites_of(rows):
    return list(dict.fromkeys(row["suite"] for row in rows))


def sections(rows, line):
    """Name of a place in a page -> its text."""
    return {"machine": line} | {suite: table(suite, [row for row in rows if row["suite"] == suite], line) for suite in suites_of(rows)}


def tables(rows, environment):
    """All tables as a text of their own."""
    texts = sections(rows, machine(environment))
    return "\n\n".join([texts["machine"], *(f"## {suite}, {TITLES[suite]}\n\n{texts[suite]}" for suite in suites_of(rows))])


def check_page(path):
    """Why a page cannot take tables; empty if it can, or is not there yet."""
    try:
        with open(path) as file:
            return "" if "<!-- bench:" in file.read() else f"'{path}' has no place for a table, such as '<!-- bench:memory -->' ... '<!-- bench -->'"
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as problem:
        return f"'{path}' cannot be read: {problem}"


def write(path, rows, environment):
    """Renews the places of a page that the results have something for, or begins a page. What it says of the machine stays as
    long as a table of it does."""
    try:
        with open(path) as file:
            page = file.read()
    except FileNotFoundError:
        page = "# Performance\n" + "".join(
            ("" if name == "machine" else f"\n## {name}, {TITLES[name]}\n") + f"\n<!-- bench:{name} -->\n<!-- bench -->\n"
            for name in ["machine", *suites_of(rows)])
    old = {name: text.strip() for name, text in re.findall(r"<!-- bench:(\w+) -->\n(.*?)<!-- bench -->", page, re.DOTALL)}
    stays = any("|---" in text for name, text in old.items() if name not in suites_of(rows))
    line = old.get("machine") if stays or "machine" not in old else machine(environment)
    for name, text in sections(rows, line).items():
        place = re.compile(rf"(<!-- bench:{name} -->\n).*?(<!-- bench -->)", re.DOTALL)
        page = place.sub(lambda match: f"{match[1]}\n{text}\n\n{match[2]}", page)
    with open(path, "w") as file:
        file.write(page)
