#!/usr/bin/python3
"""Runs one test program and writes down how each of its test cases ended.

Meson starts every test through this (`meson test --wrapper`). LOCKER_TEST_RESULTS names the folder
for the records, LOCKER_TEST_PATTERN chooses test cases by a part of their names. A record is there
from the start, so a program that dies, or that Meson ends after its time, is seen as failed.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

PATTERN = os.environ.get("LOCKER_TEST_PATTERN", "")


def is_catch(program):
    """Whether the program has Catch2's main: it knows one of its options by name."""
    path = pathlib.Path(program)
    if not path.is_file() or path.read_bytes()[:4] != b"\x7fELF":
        return False
    return b"list-test-names-only" in path.read_bytes()


def case(name, outcome, seconds=0.0, text=""):
    return {"name": name, "outcome": outcome, "seconds": seconds, "text": text.strip()}


def catch_failures(element):
    """What a failed Catch2 test case says, one paragraph for each failed expression."""
    texts = []
    for found in element.iter():
        if found.tag == "Expression" and found.get("success") == "false":
            original = (found.findtext("Original") or "").strip()
            expanded = (found.findtext("Expanded") or "").strip()
            where = f"{found.get('filename')}:{found.get('line')}"
            texts.append(f"{where}: {found.get('type')}( {original} )\n    is {expanded}")
        elif found.tag in ("Failure", "Exception", "FatalErrorCondition"):
            texts.append(f"{found.tag}: {(found.text or '').strip()}")
        elif found.tag == "Info":
            texts.append(f"info: {(found.text or '').strip()}")
    return "\n".join(texts)


def read_catch(path):
    """Catch2 writes as it goes, so a program that died leaves a torn document; the last case died."""
    parser = ElementTree.XMLPullParser(("start", "end"))
    cases, running = [], None
    try:
        parser.feed(path.read_bytes())
        for event, element in parser.read_events():
            if element.tag != "TestCase":
                continue
            running = element.get("name") if event == "start" else None
            if event == "end":
                result = element.find("OverallResult")
                good = result is not None and result.get("success") == "true"
                seconds = float(result.get("durationInSeconds", 0)) if result is not None else 0.0
                name = element.get("name")
                outcome = "passed" if good else "failed"
                cases.append(case(name, outcome, seconds, "" if good else catch_failures(element)))
    except (OSError, ElementTree.ParseError):
        pass
    if running is not None:
        cases.append(case(running, "failed", text="the program ended inside this test case"))
    return cases


def read_junit(path):
    """pytest's own record."""
    try:
        document = ElementTree.parse(path)
    except (OSError, ElementTree.ParseError):
        return []
    cases = []
    for element in document.iter("testcase"):
        outcome, text = "passed", ""
        for child in element:
            if child.tag in ("failure", "error"):
                outcome, text = "failed", child.text or child.get("message", "")
            elif child.tag == "skipped":
                outcome, text = "skipped", child.get("message", "")
        cases.append(case(element.get("name"), outcome, float(element.get("time", 0)), text))
    return cases


def run(command):
    """Runs it; being ended by Meson ends the program too. The exit code, negative for a signal."""
    child = subprocess.Popen(command)

    def stop(number, _):
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    return child.wait()


def keywords():
    """The pattern for pytest, which reads an expression: names with all of its words."""
    words = [word for word in re.findall(r"\w+", PATTERN) if word not in ("and", "or", "not")]
    return " and ".join(words)


def cases_of(command, report):
    """Runs the program in its own way; its cases and its exit code."""
    short = pathlib.Path(command[0]).name
    if "pytest" in command:
        command = command + [f"--junitxml={report}", "-p", "no:cacheprovider"]
        code = run(command + (["-k", keywords()] if PATTERN else []))
        return read_junit(report), 0 if code == 5 and PATTERN else code
    # Perhaps behind a launcher; its options come first, so the reporter's stay with the program.
    if any(is_catch(word) for word in command):
        code = run(command + ["-r", "xml", "-o", str(report)] + ([f"*{PATTERN}*"] if PATTERN else []))
        return read_catch(report), code
    if PATTERN and PATTERN not in short:
        return [], 0
    begin = time.monotonic()
    code = run(command)
    outcome = {0: "passed", 77: "skipped"}.get(code, "failed")
    return [case(short, outcome, time.monotonic() - begin)], code


def main():
    command = sys.argv[1:]
    folder = pathlib.Path(os.environ["LOCKER_TEST_RESULTS"])
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / f"{os.getpid()}.json"
    report = folder / f"{os.getpid()}.xml"
    shown = [re.sub(r".*/", "", part) for part in command]
    content = {"program": " ".join(shown), "ended": False, "cases": []}
    record.write_text(json.dumps(content), encoding="utf-8")

    cases, code = cases_of(command, report)
    if code == 77 and not cases:
        cases.append(case(content["program"], "skipped", text="what it needs is not installed"))
    if code not in (0, 77) and not any(each["outcome"] == "failed" for each in cases):
        cases.append(case(content["program"], "failed", text=f"ended with {code}"))
    content.update(ended=True, cases=cases)
    record.write_text(json.dumps(content), encoding="utf-8")
    for each in cases:
        if each["outcome"] == "failed":
            print(f"FAILED {each['name']}\n{each['text']}\n", flush=True)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
