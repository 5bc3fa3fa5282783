"""The statistics of the benchmark, on figures whose answers are known."""

import random

import pytest

import ratios
import report
import scenarios


def test_the_median_and_the_spread():
    assert ratios.spread([3.0, 1.0, 2.0]) == ratios.Spread(2.0, 1.0, 3.0, 3)
    assert ratios.spread([1.0, 2.0, 4.0, 100.0]).median == 3.0


def test_one_wild_round_moves_the_spread_and_not_the_median():
    quiet = ratios.spread([1.0, 1.1, 0.9, 1.0, 1.0])
    disturbed = ratios.spread([1.0, 1.1, 0.9, 1.0, 50.0])
    assert disturbed.median == quiet.median
    assert disturbed.greatest == 50.0


def test_no_figures_have_no_spread():
    with pytest.raises(ValueError):
        ratios.spread([])


def test_a_ratio_is_taken_within_a_round():
    # The machine became ten times slower; the two stayed as they are to each other.
    rounds = [{"ours": 2000.0, "theirs": 1000.0}, {"ours": 200.0, "theirs": 100.0}]
    assert ratios.paired(rounds, "ours", "theirs") == [2.0, 2.0]
    assert ratios.paired(rounds, "theirs", "ours") == [0.5, 0.5]


def test_a_round_without_one_of_the_two_gives_no_ratio():
    rounds = [{"ours": 2.0}, {"theirs": 1.0}, {"ours": 3.0, "theirs": 1.0}]
    assert ratios.paired(rounds, "ours", "theirs") == [3.0]


def test_each_round_has_everybody_once_in_an_order_of_its_own():
    names = ["a", "b", "c", "d"]
    orders = ratios.shuffled_rounds(names, 200, random.Random(1))
    assert len(orders) == 200
    assert all(sorted(order) == names for order in orders)
    assert {order[0] for order in orders} == set(names)
    assert len({tuple(order) for order in orders}) == 24
    assert names == ["a", "b", "c", "d"]


def test_a_seed_gives_the_same_orders_again():
    def orders():
        return ratios.shuffled_rounds("abc", 20, random.Random(7))

    assert orders() == orders()


@pytest.mark.parametrize(
    "figures, target, reached",
    [
        ([0.9], 0.9, True),
        ([0.89], 0.9, False),
        ([0.5, 0.95, 2.0], 0.9, True),
        ([0.5, 0.85, 2.0], 0.9, False),
        ([5.0], None, None),
        ([], 0.9, None),
    ],
)
def test_the_median_reaches_a_target(figures, target, reached):
    assert ratios.verdict(figures, target) is reached


def result(name, rounds, skipped=()):
    return {"scenario": name, "rounds": rounds, "skipped": list(skipped)}


def test_a_row_has_the_ratios():
    rounds = [{"library": 100.0 * i, "floor": 100.0 * i, "curator": 50.0 * i} for i in (1, 2, 3)]
    text = report.rate_row(scenarios.by_name("serial"), result("serial", rounds))
    assert "1.00 (1.00–1.00)" in text and "2.00 (2.00–2.00)" in text
    assert "≥ 0.9 ✓" in text and "≥ 1.0 ✓" in text
    # A contestant that did not run has no figure.
    assert "| – |" in text


def test_absolute_rates_are_medians():
    rounds = [{"library": rate} for rate in (1000.0, 1234.0, 9000.0)]
    text = report.absolute_table([result("serial", rounds)])[-1]
    assert text == "| one caller, one partition | 1,234 | – | – | – | – |"


def test_a_missed_target_is_said():
    rounds = [{"library": 50.0, "floor": 100.0}]
    assert "0.50 (0.50–0.50) ≥ 0.9 ✗" in report.rate_row(
        scenarios.by_name("serial"), result("serial", rounds)
    )


def test_figures_go_between_the_markers_and_nothing_else_changes(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{report.BEGIN}\nold\n{report.END}\n\nafter\n", encoding="utf-8")
    report.write_page(page, "new\n")
    assert page.read_text(encoding="utf-8") == (
        f"before\n\n{report.BEGIN}\n\nnew\n\n{report.END}\n\nafter\n"
    )
    report.write_page(page, "newer\n")
    assert "new\n" not in page.read_text(encoding="utf-8")


def test_a_page_without_markers_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n", encoding="utf-8")
    with pytest.raises(ValueError):
        report.write_page(page, "new\n")
    assert page.read_text(encoding="utf-8") == "before\n"
