"""How the words of a command line are read where a slip would lock something else, or nothing."""

import os
import resource
import signal

import pytest

from conftest import LIVENESS, LOCKER, finish

DAY = ("ods.t", "dt=1")


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--shared=false", *DAY, "true"],
        ["run", "--shared=true", *DAY, "true"],
        ["run", "--detach-children=false", *DAY, "true"],
        ["run", "--once=", *DAY, "true"],
        ["try", "--shared=no", *DAY],
        ["try", *DAY, "--shared=no"],
        ["config", "show", "--quiet=false"],
        ["ls", "--help=x"],
    ],
)
def test_B05_an_option_without_a_value_takes_none(bench, words):
    done = bench.call(*words)
    flag = next(word for word in words if "=" in word and word.startswith("--"))
    assert done.returncode == 64 and done.stdout == b"", done
    said = done.stderr.decode()
    assert said.startswith(f"locker: {flag.split('=')[0]} takes no value") and said.count("\n") == 1


def test_an_empty_value_is_the_value(bench):
    done = bench.call(
        "run", "--reason=", "--owner=", "--metrics-file=", "--on-lost=", *DAY,
        "sh", "-c", 'echo "$LOCKER_RESOURCE"',
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"ods.t/dt=1\n"), done
    rows = bench.call("config", "show", "--owner=", "-o", "jsonl", env={"LOCKER_APPLICATION": "x"})
    assert b'"setting":"owner","value":"","origin":"flag --owner"' in rows.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--timeout=", *DAY, "true"],
        ["run", "-w", "", *DAY, "true"],
        ["run", "-w0", "-E", "", *DAY, "true"],
        ["run", "-nE", "", *DAY, "true"],
        ["run", "--conflict-exit-code=", *DAY, "true"],
        ["run", "--once", "--once-code=", *DAY, "true"],
        ["run", "--connect-timeout=", *DAY, "true"],
        ["run", "--url=", *DAY, "true"],
        ["ls", "--output="],
        ["ls", "--log-level=", "ods"],
        ["precreate", "--column=", *DAY],
        ["precreate", "--column=dt", "--tz=", "ods.t"],
        ["precreate", "--column=dt", "--days=", "ods.t"],
        ["precreate", "--column=dt", "--format=", "ods.t"],
        ["break", "--reason=", *DAY],
    ],
)
def test_an_empty_value_that_makes_no_sense(bench, words):
    done = bench.call(*words)
    assert done.returncode == 64 and done.stdout == b"", done
    assert bench.rows("ls") == []


def test_a_value_may_look_like_an_option(bench):
    shown = ["sh", "-c", f'exec "{LOCKER}" ls -o jsonl']
    for words in (["--reason", "--shared=x"], ["--reason=--shared=x"], ["--reason", "--"]):
        done = bench.call("run", *words, *DAY, *shown)
        assert done.returncode == 0, done
        assert f'"reason":"{words[-1].removeprefix("--reason=")}"'.encode() in done.stdout
        assert b'"mode":"exclusive"' in done.stdout
    # What stands behind the resource is the command's.
    done = bench.call("run", *DAY, "echo", "--shared=false", "--reason=")
    assert done.stdout == b"--shared=false --reason=\n"


@pytest.mark.parametrize(
    "words, surplus",
    [
        (["verify", "local:/other/store"], "local:/other/store"),
        (["config", "show", "quiet"], "quiet"),
        (["backends", "local"], "local"),
        (["--version", "please"], "please"),
        (["--dump-reference", "please"], "please"),
        (["help", "run", "ls"], "ls"),
        (["help", "table", "show", "ods.t"], "ods.t"),
        (["completion", "bash", "zsh"], "zsh"),
        (["precreate", "--column", "dt", "ods.t", "ods.u"], "ods.u"),
        (["table", "show", "ods.t", "ods.u"], "ods.u"),
        (["table", "unregister", "ods.t", "dt=1"], "dt=1"),
    ],
)
def test_a_word_too_many_is_told(bench, words, surplus):
    if words[0] == "verify" and bench.code("verify", "--help") != 0:
        pytest.skip("built without tests")
    done = bench.call(*words)
    assert done.returncode == 64 and done.stdout == b"", done
    assert done.stderr.startswith(f'locker: "{surplus}" is a word too many'.encode())
    assert (b"--url" in done.stderr) == (words[0] == "verify")


@pytest.mark.parametrize("words", [["ls", *DAY], ["who", *DAY], ["try", *DAY], ["explain", *DAY]])
def test_words_behind_a_whole_resource_are_told(bench, words):
    done = bench.call(*words, "more")
    assert done.returncode in (64, 65) and b"more" in done.stderr, done


@pytest.mark.parametrize(
    "zone",
    ["America", ".", "./", "posix", "zone.tab", "tzdata.zi", "/usr/share/zoneinfo/UTC", ":UTC"]
    + ["America/../UTC", "../../../etc/hostname", "Foo/Bar"],
)
def test_a_zone_is_a_zones_file(bench, zone):
    days = ["precreate", "--column", "dt", "--days", "1"]
    done = bench.call(*days, "--tz", zone, "ods.t")
    assert done.returncode == 64 and b"--tz" in done.stderr and done.stdout == b"", done
    assert bench.code(*days, "--tz", "UTC", "ods.t") == 0
    assert bench.code(*days, "--tz", "America/New_York", "ods.t") == 0


def test_once_needs_the_exclusive_lock(bench):
    mark = bench.folder / "ran"
    for words in (["-s", "--once"], ["--once", "--shared"]):
        done = bench.call("run", *words, *DAY, "touch", str(mark))
        assert done.returncode == 64 and b"--once needs the exclusive lock" in done.stderr, done
    assert not mark.exists()


def test_a_success_that_can_not_be_recorded(bench):
    lost = bench.folder / "lost"
    run = bench.start(
        "run", "--once", "--connect-timeout", "1", "--on-lost", f"touch {lost}", *DAY,
        "sh", "-c", "echo in; read nothing; true",
        preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
    )  # fmt: skip
    assert run.stdout.readline() == b"in\n"
    # As on a full disk: from here on no file of this locker grows.
    resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    code, _, err = finish(run)
    assert code == 69, err
    assert err.startswith(b"locker: the command succeeded, but its success could not be recorded")
    assert not lost.exists()
    # Nothing stays locked, and the work counts as not done.
    done = bench.call("run", "--once", *DAY, "echo", "again")
    assert (done.returncode, done.stdout) == (0, b"again\n"), done


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_a_configuration_file_is_a_regular_file(bench, kind):
    folder = bench.folder / "config" / "locker"
    folder.mkdir(parents=True)
    path = folder / "config.json"
    if kind == "pipe":
        os.mkfifo(path)
    if kind == "folder":
        path.mkdir()
    if kind == "device":
        path.symlink_to("/dev/zero")
    done = bench.call("ls")
    assert done.returncode == 78, done
    assert done.stderr == f"locker: {path}: cannot read: it is no regular file\n".encode()


@pytest.mark.parametrize("text", ['{"owner": "a\\u0000b"}', '{"owner": "a"}\0', '\0{"owner": "a"}'])
def test_a_configuration_file_has_no_NUL(bench, text):
    folder = bench.folder / "config" / "locker"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(text, encoding="utf-8")
    done = bench.call("ls")
    assert done.returncode == 78 and b"config.json" in done.stderr and b"NUL" in done.stderr, done


@pytest.mark.parametrize(
    "words",
    [
        ["try", *DAY],
        ["explain", *DAY],
        ["try", "-o", "json", *DAY],
        ["ls", "-o", "json"],
        ["config", "show"],
        ["doctor"],
        ["backends"],
        ["completion", "bash"],
        ["precreate", "--column", "dt", "ods.t"],
        ["help"],
        ["ls", "--help"],
        ["--version"],
    ],
)
def test_an_answer_that_can_not_be_written(bench, words):
    with open("/dev/full", "wb") as full:
        run = bench.start(*words, stdout=full)
        _, err = run.communicate(timeout=LIVENESS)
    said = err.splitlines()[-1]
    assert (run.returncode, said) == (
        74,
        b"locker: cannot write the answer: No space left on device",
    ), err
