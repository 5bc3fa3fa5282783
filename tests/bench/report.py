"""The figures as a Markdown table, and the page that shows it."""

import ratios
import scenarios

BEGIN = "<!-- begin of what scripts/bench writes -->"
END = "<!-- end of what scripts/bench writes -->"

OTHERS = ("floor", "bare", "curator", "kazoo")
NAMES = {
    "library": "locker",
    "floor": "the protocol's floor",
    "bare": "create, list, delete",
    "curator": "Curator",
    "kazoo": "kazoo",
}


def mark(reached):
    return {True: " ✓", False: " ✗", None: ""}[reached]


def ratio_cell(scenario, rounds, other):
    """The median ratio of the library to another, its spread, the target."""
    found = ratios.paired(rounds, "library", other)
    if not found:
        return "–"
    figures = ratios.spread(found)
    target = scenario.targets.get(other)
    digits = 1 if figures.median >= 10 else 2
    text = f"{figures.median:.{digits}f} ({figures.least:.{digits}f}–{figures.greatest:.{digits}f})"
    if target is not None:
        text += f" ≥ {target}{mark(ratios.verdict(found, target))}"
    return text


def rate_cell(rounds, name):
    """The median rate, for information."""
    figures = [each[name] for each in rounds if name in each]
    return f"{ratios.spread(figures).median:,.0f}" if figures else "–"


def rate_row(scenario, result):
    cells = [scenario.title]
    cells += [ratio_cell(scenario, result["rounds"], other) for other in OTHERS]
    return "| " + " | ".join(cells) + " |"


def rates_table(results):
    head = ["locker's rate ÷ that of", *(NAMES[other] for other in OTHERS)]
    lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    lines += [rate_row(scenarios.by_name(each["scenario"]), each) for each in results]
    return lines


def absolute_table(results, figure="rounds", title="cycles a second, medians"):
    """What this machine did in the time it had: for information, good for no verdict."""
    names = ("library", *OTHERS)
    head = [title, *(NAMES[name] for name in names)]
    lines = ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * len(names) + "|"]
    for each in results:
        cells = [rate_cell(each[figure], name) for name in names]
        lines.append("| " + " | ".join([scenarios.by_name(each["scenario"]).title, *cells]) + " |")
    return lines


def counted_row(title, figures, most, unit, digits):
    cells = [title]
    for name in ("library", "curator", "kazoo"):
        figure = figures.get(name)
        text = "–" if figure is None else f"{figure:.{digits}f}{unit}"
        if name == "library" and figure is not None:
            text += f" ≤ {most:g}{mark(figure <= most)}"
        cells.append(text)
    return "| " + " | ".join(cells) + " |"


def counted_table(report):
    lines = ["| counted | locker | Curator | kazoo |", "| --- | ---: | ---: | ---: |"]
    waiters, held = report.get("waiters"), report.get("held")
    if waiters:
        for key, title in (("notifications", "notifications"), ("requests", "requests")):
            figures = {name: each[key] / each["releases"] for name, each in waiters.items()}
            most = scenarios.MOST_NOTIFICATIONS
            title = f"500 waiters: {title} a release"
            if key == "notifications":
                lines.append(counted_row(title, figures, most, "", 2))
            else:
                cells = [f"{figures[name]:.1f}" if name in figures else "–"
                         for name in ("library", "curator", "kazoo")]
                lines.append("| " + " | ".join([title, *cells]) + " |")
    if held:
        figures = {name: each["resident_bytes"] / 1e6 for name, each in held.items()}
        title = "10,000 held locks: resident memory of the process"
        lines.append(counted_row(title, figures, scenarios.MOST_RESIDENT_MB, " MB", 0))
    return lines


def markdown(report):
    facts = report["facts"]
    lines = [
        f"Measured on {facts['day']}: {facts['machine']}; {facts['versions']}. "
        f"{report['rounds']} rounds of {report['seconds']:g} s a turn; seed {report['seed']}; "
        f"load of the machine {facts['load_before']} before and {facts['load_after']} after.",
        "",
        *rates_table(report["rates"]),
        "",
    ]
    if report.get("waiters") or report.get("held"):
        lines += [*counted_table(report), ""]
    lines += absolute_table(report["rates"])
    title = "processor time of the client a cycle, µs, medians"
    lines += ["", *absolute_table(report["rates"], "effort", title)]
    for name, why in report["skipped"].items():
        lines += ["", f"{NAMES[name]} was not measured: {why}."]
    return "\n".join(lines) + "\n"


def write_page(page, text):
    """Puts the text between the markers of the page. Raises ValueError without them."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no place for the figures: {BEGIN} … {END}")
    page.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")
