#!/usr/bin/python3
"""Makes locker.1 from its hand-written part and from the command's own tables.

usage: make_man_page.py locker.1.in REFERENCE.json >locker.1

REFERENCE.json is what `locker --dump-reference` prints. A line `@commands@`, `@settings@`,
`@variables@` or `@exit_codes@` of the page becomes that table.
"""

import json
import pathlib
import re
import sys


def escaped(text):
    """Text as mdoc takes it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    # In mdoc a sentence begins a line.
    text = re.sub(r"(?<=[.?!]) (?=[A-Z`])", "\n", text)
    return "\\&" + text if text[:1] in (".", "'") else text


def flags_of(option):
    flags = [f"Fl {escaped(flag.strip()[1:])}" for flag in option["flags"].split(",")]
    value = f" Ns = Ns Ar {escaped(option['value'])}" if option["value"] else ""
    return " , ".join(flags[:-1] + [flags[-1] + value])


def commands(reference):
    for command in reference["commands"]:
        yield f".It Nm Cm {escaped(command['name'])} {escaped(command['usage'])}"
        summary = command["summary"][:1].upper() + command["summary"][1:]
        yield escaped(summary) + ("" if summary.endswith("?") else ".")
        if command["details"]:
            yield escaped(command["details"])
        options = [option for option in command["options"] if "--help" not in option["flags"]]
        if options:
            yield ".Bl -tag -width Ds -compact"
            for option in options:
                yield f".It {flags_of(option)}"
                yield escaped(option["help"])
            yield ".El"


def settings(reference):
    for setting in reference["settings"]:
        yield f".It Ic {escaped(setting['key'])}"
        sources = [escaped(setting[each]) for each in ("flag", "environment") if setting[each]]
        yield escaped(setting["help"]) + "."
        yield f"Also {', '.join(sources)}." if sources else "In configuration files only."
        if setting["default"]:
            unit = f" (a bare number counts {setting['unit']})" if setting["unit"] else ""
            yield f"Default: {escaped(setting['default'] + unit)}."


def variables(reference):
    for variable in reference["environment"]:
        yield f".It Ev {variable['name']}"
        yield escaped(variable["meaning"]) + "."


def exit_codes(reference):
    for row in reference["exit_codes"]:
        yield f".It {row['code']}"
        yield escaped(row["meaning"]) + "."


TABLES = {f"@{table.__name__}@": table for table in (commands, settings, variables, exit_codes)}


def main():
    page, tables = sys.argv[1:]
    reference = json.loads(pathlib.Path(tables).read_text(encoding="utf-8"))
    for line in pathlib.Path(page).read_text(encoding="utf-8").splitlines():
        for made in TABLES[line](reference) if line in TABLES else [line]:
            print(made)


if __name__ == "__main__":
    main()
