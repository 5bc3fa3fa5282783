"""Settings: which source counts, what is refused, and what help and completions say of them."""

import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import LIVENESS, LOCKER

DAY = ("ods.t", "dt=1")


def write_file(bench, text):
    folder = bench.folder / "config" / "locker"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(text, encoding="utf-8")
    return str(folder / "config.json")


def shown(bench, *words, **options):
    done = bench.call("config", "show", "--origin", "-o", "jsonl", *words, **options)
    assert done.returncode == 0, done.stderr
    return {row["setting"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_the_nearest_source_counts(bench):
    row = shown(bench)["timeout"]
    assert (row["value"], row["origin"]) == ("300s", "default")
    path = write_file(bench, '{"timeout": 20, "quiet": true}')
    rows = shown(bench)
    assert (rows["timeout"]["value"], rows["timeout"]["origin"]) == ("20", path)
    assert (rows["quiet"]["value"], rows["quiet"]["origin"]) == ("true", path)
    row = shown(bench, env={"LOCKER_TIMEOUT": "1h"})["timeout"]
    assert (row["value"], row["origin"]) == ("1h", "environment LOCKER_TIMEOUT")
    row = shown(bench, "-w", "5", env={"LOCKER_TIMEOUT": "1h"})["timeout"]
    assert (row["value"], row["origin"]) == ("5", "flag --timeout")


def test_settings_from_a_file_have_their_effect(bench):
    write_file(bench, '{"timeout": 0, "conflict_exit_code": 42}')
    holder = bench.hold(*DAY)
    assert bench.code("run", *DAY, "true") == 42
    assert bench.code("run", "-E", "43", *DAY, "true") == 43
    assert holder.release() == 0


def with_a_host_file(bench, text, *words):
    """Calls the command where that is /etc/locker/config.json, whatever this host has there."""
    given = bench.folder / "host.json"
    given.write_text(text, encoding="utf-8")
    # All of /etc is another one: that the folder exists here can't be relied on.
    begin = f"mount -t tmpfs none /etc && mkdir /etc/locker && cp {given} /etc/locker/config.json"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'{begin} || exit 99; exec "$@"', "sh", LOCKER, *words],
        env=bench.environment,
        capture_output=True,
        check=False,
        timeout=LIVENESS,
    )
    if done.returncode == 99 or done.stderr.startswith(b"unshare:"):
        pytest.skip("no mount namespace can be made here")
    return done


def test_the_file_of_the_host_counts_least(bench):
    def rows():
        text = '{"timeout": 20, "quiet": true}'
        done = with_a_host_file(bench, text, "config", "show", "--origin", "-o", "jsonl")
        assert done.returncode == 0, done
        found = {row["setting"]: row for row in map(json.loads, done.stdout.splitlines())}
        return [(found[key]["value"], found[key]["origin"]) for key in ("timeout", "quiet")]

    path = "/etc/locker/config.json"
    assert rows() == [("20", path), ("true", path)]
    own = write_file(bench, '{"timeout": 30}')
    assert rows() == [("30", own), ("true", path)]
    done = with_a_host_file(bench, '{"timeot": 5}', "ls")
    assert done.returncode == 78 and path.encode() in done.stderr, done


def test_every_row_is_complete(bench):
    for row in shown(bench).values():
        assert list(row) == [
            "setting", "value", "origin", "flag", "environment", "key", "default", "unit",
            "reloadable",
        ]
        assert row["key"] == row["setting"]
    assert shown(bench)["url"]["environment"] == "LOCKER_BACKEND"


@pytest.mark.parametrize(
    "text, parts",
    [
        ('{"timeot": 5}', ["timeot", "did you mean timeout?"]),
        ('{"timeout": 5, "timeout": 6}', ["timeout", "twice"]),
        ('{"timeout": null}', ["timeout", "null"]),
        ('{"timeout": [1]}', ["timeout", "list"]),
        ('{"timeout": {"a": 1}}', ["timeout", "flat"]),
        ('{"timeout": "soon"}', ["timeout"]),
        ('{"output": "yaml"}', ["output", "yaml"]),
        ('{\n  "timeout": 5,\n}', ["line 3"]),
        ("[]", ["list"]),
        ("", ["no JSON"]),
        ("3", ["object"]),
    ],
)
def test_a_wrong_file_is_told(bench, text, parts):
    path = write_file(bench, text)
    done = bench.call("ls")
    assert done.returncode == 78
    said = done.stderr.decode()
    assert path in said and len(said.splitlines()) == 1
    for part in parts:
        assert part in said


def test_wrong_values_in_the_environment(bench):
    for name, text in [
        ("LOCKER_TIMEOUT", "soon"),
        ("LOCKER_CONFLICT_EXIT_CODE", "256"),
        ("LOCKER_QUIET", "perhaps"),
        ("LOCKER_LOG_LEVEL", "loud"),
    ]:
        done = bench.call("ls", env={name: text})
        assert done.returncode == 78 and name.encode() in done.stderr, done


def test_a_mistyped_variable_is_told(bench):
    done = bench.call("ls", "-o", "json", env={"LOCKER_TIMEOT": "5"})
    assert done.returncode == 0
    assert done.stderr == (
        b"locker: nothing reads the environment variable LOCKER_TIMEOT; "
        b"did you mean LOCKER_TIMEOUT?\n"
    )


def test_names_of_run_are_told_from_settings(bench):
    done = bench.call("ls", "-o", "json", env={"LOCKER_URL": "local:/nowhere"})
    assert (done.returncode, done.stderr.decode()) == (
        0,
        "locker: LOCKER_URL is set for commands by `run`, it is no setting: "
        "did you mean LOCKER_BACKEND?\n",
    )
    done = bench.call("ls", "-o", "json", env={"LOCKER_SESSION_TIMEOUT": "5s"})
    assert b"no setting: did you mean --session-timeout?" in done.stderr
    done = bench.call("run", *DAY, LOCKER, "ls", "-o", "json")
    assert done.returncode == 0 and b"no setting" not in done.stderr


def test_reserved_names_are_no_settings(bench):
    rows = shown(bench, env={"LOCKER_SESSION_TIMEOUT": "soon", "LOCKER_URL": "nonsense"})
    assert rows["session_timeout"]["origin"] == "default"
    assert rows["url"]["value"] == bench.store


def test_help_has_every_table(bench):
    text = bench.call("--help").stdout.decode()
    reference = json.loads(bench.call("--dump-reference").stdout)
    for command in reference["commands"]:
        assert f"  {command['name']} " in text
        own = bench.call(*command["name"].split(), "--help")
        assert own.returncode == 0
        words = own.stdout.decode()
        assert words.startswith(f"usage: locker {command['name']} {command['usage']}\n")
        for option in command["options"]:
            assert option["flags"] in words
        assert "?." not in words
        for row in reference["exit_codes"]:
            there = re.search(rf"^  {re.escape(row['code'])} ", words, re.M) is not None
            assert there == (row["code"] in command["exit_codes"]), (command["name"], row)
    for row in reference["settings"]:
        assert re.search(rf"^  {row['key']} ", text, re.M)
    for row in reference["environment"]:
        assert row["name"] in text
    for row in reference["exit_codes"]:
        assert re.search(rf"^  {re.escape(row['code'])} ", text, re.M)
    names = [command["name"] for command in reference["commands"]]
    assert not {"lock", "unlock", "renew", "index", "commit", "history"} & set(names)


def test_help_about_a_command_or_a_group(bench):
    assert bench.call("help", "run").stdout == bench.call("run", "--help").stdout
    assert b"example:\n  locker run " in bench.call("help", "run").stdout
    group = bench.call("table", "--help")
    assert group.returncode == 0
    for name in ("table register", "table unregister", "table show"):
        assert name.encode() in group.stdout
    assert bench.call("help", "table").stdout == group.stdout
    assert bench.call("help", "table", "show").stdout == bench.call("table", "show", "-h").stdout
    assert bench.call("help").stdout == bench.call("--help").stdout
    assert bench.code("help", "explan") == 64


def test_the_directory_of_the_default_store_is_shown(bench):
    del bench.environment["LOCKER_BACKEND"]
    text = bench.call("config", "show").stdout.decode()
    own = f"{bench.folder}/.local/state/locker"
    folder = "/var/lib/locker" if os.access("/var/lib/locker", os.R_OK | os.W_OK | os.X_OK) else own
    assert re.search(rf"^url +local: \({re.escape(folder)}\)$", text, re.M), text


def test_unknown_commands_and_options_get_a_suggestion(bench):
    done = bench.call("explan")
    assert done.returncode == 64 and b"did you mean explain?" in done.stderr
    done = bench.call("run", "--timeot", "5", *DAY, "true")
    assert done.returncode == 64 and b"did you mean --timeout?" in done.stderr
    done = bench.call("table")
    assert done.returncode == 64 and b"table register" in done.stderr
    assert bench.code() == 64


def test_version_and_backends(bench):
    done = bench.call("--version")
    line = rb"backend %s: .*\d\n"
    assert re.fullmatch(rb"locker \d+\.\d+\.\d+\n" + line % b"local" + line % b"zk", done.stdout)
    rows = bench.rows("backends")
    assert [row["scheme"] for row in rows] == ["local", "zk"]
    assert all(row["not_promised"] and row["library"] for row in rows)
    assert b"not promised" in bench.call("backends").stdout


COMPLETION_WORDS = ["run", "explain", "--timeout", "jsonl", "register", "--metrics-file"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_accepted_by_their_shell(bench, shell):
    text = bench.call("completion", shell).stdout
    for word in COMPLETION_WORDS:
        # fish leaves the dashes away.
        assert word.lstrip("-").encode() in text
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is missing")
    done = subprocess.run([shell, "-n"], input=text, capture_output=True, check=False)
    assert done.returncode == 0 and done.stderr == b"", done
    assert bench.code("completion") == 64
    assert bench.code("completion", "tcsh") == 64


def completed(bench, *words):
    """What bash would offer for the last word."""
    script = bench.call("completion", "bash").stdout.decode() + f"""
COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
_locker; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return done.stdout.decode().split()


def test_what_bash_offers(bench):
    assert completed(bench, "locker", "ex") == ["explain"]
    assert completed(bench, "locker", "table", "") == ["register", "unregister", "show"]
    assert completed(bench, "locker", "run", "--metr") == ["--metrics-file"]
    assert completed(bench, "locker", "ls", "-o", "js") == ["json", "jsonl"]
    assert completed(bench, "locker", "completion", "f") == ["fish"]
    assert "--replace" in completed(bench, "locker", "table", "register", "--")


def test_verify_runs_the_checks(bench):
    names = bench.call("verify", "--help")
    if names.returncode != 0:
        pytest.skip("built without tests")
    assert bench.code("verify", "--backend", "nonsense") == 64
    assert bench.code("verify", "--backend", bench.store, "--url", bench.store) == 64
    assert bench.code("verify", "--only", "no check is called that") == 66
    url = f"local:{bench.folder}/verified"
    done = bench.call("verify", "--backend", url, "--only", "reader")
    assert done.returncode == 0, done
    assert re.search(rb"^[1-9]\d* passed, 0 failed, \d+ not promised\n\Z", done.stdout, re.M)
    done = bench.call("verify", "--backend", url, "--only", "reader", "-o", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows and all(row["verdict"] in ("passed", "not promised") for row in rows)
    assert bench.rows("ls", "--url", url) == []

