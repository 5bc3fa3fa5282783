#!/usr/bin/python3
"""Adds up what run_test.py wrote down.

usage: collect_results.py FOLDER             one line a leg, the failures, and the totals last
       collect_results.py FOLDER LEG NAME OUTCOME [TEXT]   adds one result that no program wrote
"""

import collections
import json
import os
import pathlib
import sys


def read_leg(folder):
    """All cases of one leg; a program that left no end counts as one failure."""
    cases = []
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        cases += [dict(each, program=record["program"]) for each in record["cases"]]
        if not record["ended"]:
            died = "did not end by itself: out of time, or killed"
            cases.append({"name": record["program"], "outcome": "failed", "text": died, "seconds": 0})
    return cases


def read_all(folder):
    return {leg.name: read_leg(leg) for leg in sorted(folder.iterdir()) if leg.is_dir()}


def add(folder, leg, name, outcome, text=""):
    (folder / leg).mkdir(parents=True, exist_ok=True)
    cases = [{"name": name, "outcome": outcome, "text": text, "seconds": 0}]
    content = {"program": name, "ended": True, "cases": cases}
    path = folder / leg / f"own-{os.getpid()}.json"
    path.write_text(json.dumps(content), encoding="utf-8")


def indented(text):
    """The end of what a failure says: Python puts the point there, and C++ says little."""
    return "\n".join("    " + line for line in text.splitlines()[-12:])


def main():
    folder = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        add(folder, *sys.argv[2:])
        return 0
    total = collections.Counter()
    skips = collections.Counter()
    for leg, cases in read_all(folder).items():
        count = collections.Counter(each["outcome"] for each in cases)
        total += count
        print(f"{leg:>8}: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
        skips.update(each["text"] for each in cases if each["outcome"] == "skipped")
        for each in cases:
            if each["outcome"] == "failed":
                print(f"  FAILED [{leg}] {each['name']}")
                print(indented(each["text"]))
    for text, times in skips.items():
        print(f"  skipped ({times}): {text}")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
