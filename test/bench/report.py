"""Results as Markdown: a table for each suite, and pages whose tables are renewed.

A page has places for them, `<!-- bench:memory -->` to `<!-- bench -->`; all else in it stays.
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
    others = [row["value"] for name, row in sides.items() if not name.startswith(OURS) and "value" in row and not row.get("aside")]
    if not own or not others:
        return "–"
    return f"{own / max(others):.2f}" if more_is_better else f"{min(others) / own:.3g}"


def table(suite, rows):
    """The table of one suite, and below it what has no time and why."""
    cases = by_case(rows)
    names = list(dict.fromkeys(row["side"] for row in rows if row["side"] != "all"))
    names.sort(key=lambda name: (not name.startswith(OURS), not name.startswith("Triton")))
    timed = any("spread" in row for row in rows)
    lines = [f"| case | {' | '.join(names)} | tilec / best peer |" + (" spread |" if timed else ""), "|---" * (len(names) + 2 + timed) + "|"]
    for case, sides in cases.items():
        spread = max((row["spread"] for row in sides.values() if "spread" in row), default=None)
        lines.append(f"| {case} | {' | '.join(figure(sides.get(name)) for name in names)} | {ratio(sides, suite in MORE_IS_BETTER)} |"
                     + (f" {spread:.1%} |" if spread is not None else " – |" if timed else ""))
    return "\n".join(lines + missing(rows, len(cases)))


def missing(rows, num_cases):
    """What has no time and why; what is the same for several cases in one line."""
    reasons = {}
    for row in rows:
        if "failure" in row:
            reasons.setdefault((row["side"], row["failure"]), []).append(row["case"])
    lines = [f"- {side}, {'all cases' if len(cases) == num_cases else ', '.join(cases)}: {failure}" for (side, failure), cases in reasons.items()]
    return ["", "No time:", "", *lines] if lines else []




def machine(environment):
    e = environment.get
    parts = [e("device"), f"driver {e('driver')}" if e("driver") else None, e("power_limit"), f"PyTorch {e('torch')}" if e("torch") else None,
             f"Triton {e('triton')}" if e("triton") else None, f"CUDA {e('cuda')}" if e("cuda") else None,
             f"cuDNN {e('cudnn')}" if e("cudnn") else None, e("tilec"), f"commit {e('commit')}"]
    return f"{e('date')}: " + ", ".join(str(part) for part in parts if part) + "."


def suites_of(rows):
    return list(dict.fromkeys(row["suite"] for row in rows))


def sections(rows, environment):
    """Name of a place in a page -> its text."""
    result = {"machine": machine(environment)}
    for suite in suites_of(rows):
        result[suite] = table(suite, [row for row in rows if row["suite"] == suite])
    return result


def tables(rows, environment):
    """All tables as a text of their own."""
    texts = sections(rows, environment)
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
    """Renews the places of a page that the results have something for, or begins a page."""
    try:
        with open(path) as file:
            page = file.read()
    except FileNotFoundError:
        places = sections(rows, environment)
        page = "# Performance\n" + "".join(
            ("" if name == "machine" else f"\n## {name}, {TITLES[name]}\n") + f"\n<!-- bench:{name} -->\n<!-- bench -->\n" for name in places)
    for name, text in sections(rows, environment).items():
        place = re.compile(rf"(<!-- bench:{name} -->\n).*?(<!-- bench -->)", re.DOTALL)
        page = place.sub(lambda match: f"{match[1]}\n{text}\n\n{match[2]}", page)
    with open(path, "w") as file:
        file.write(page)
