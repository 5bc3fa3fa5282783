"""The checker of histories finds what it is there for; a checker that can't fail shows nothing."""

import pytest

from history import History, counted


def write(folder, client, text):
    """A history in which times are small numbers."""
    lines = [line.split() + ["-"] for line in text.strip().splitlines()]
    path = folder / f"history-{client}"
    path.write_text("".join(f"{when} {event} r {word}\n" for when, event, word, *_ in lines))


GOOD = """
10 asked
20 granted t1
21 working
30 working
31 released
32 unlocked
"""


def second(asked=15, waiting=16, granted=40, token="t2"):
    return f"""
{asked} asked
{waiting} waiting 1
{granted} granted {token}
{granted + 1} working
{granted + 2} released
{granted + 3} unlocked
"""


def test_a_right_history_is_right(tmp_path):
    write(tmp_path, "a", GOOD)
    write(tmp_path, "b", second())
    history = History(tmp_path).check()
    assert len(history.grants) == 2 and history.losses == 0
    assert history.longest_gap_ns("r") == 20


@pytest.mark.parametrize(
    "other,complaint",
    [
        (second(granted=25), "two holders at once"),
        (second(token="t0"), "tokens do not rise"),
        (second(token="t1"), "tokens do not rise"),
        ("15 asked\n40 granted t2\n", "never ended"),
        ("15 asked\n", "never ended"),
    ],
)
def test_a_wrong_history_is_found(tmp_path, other, complaint):
    write(tmp_path, "a", GOOD)
    write(tmp_path, "b", other)
    with pytest.raises(AssertionError, match=complaint):
        History(tmp_path).check()


def test_who_stood_in_the_queue_first_comes_first(tmp_path):
    write(tmp_path, "a", GOOD)
    write(tmp_path, "b", second(asked=11, waiting=12, granted=50, token="t3"))
    write(tmp_path, "c", second(asked=13, waiting=14, granted=40, token="t2"))
    with pytest.raises(AssertionError, match="overtaken"):
        History(tmp_path).check()
    History(tmp_path).check(ordered=False)


def test_belief_ends_where_it_is_let_go_and_losses_are_counted(tmp_path):
    """A holder that knew of its loss before the next one's grant has done nothing wrong."""
    write(tmp_path, "a", "10 asked\n20 granted t1\n21 working\n30 lost lease_over\n45 released\n46 unlocked lost\n")
    write(tmp_path, "b", second())
    assert History(tmp_path).check().losses == 1


def test_failures_are_counted_by_their_kind(tmp_path):
    write(tmp_path, "a", GOOD + "40 asked\n41 failed timeout/timeout\n")
    assert History(tmp_path).check().failures == {"timeout/timeout": 1}


def test_numbers_of_holders_are_added_up(tmp_path):
    (tmp_path / "a.count").write_text("3\n")
    (tmp_path / "b.count").write_text("4\n")
    assert counted(tmp_path) == 7
