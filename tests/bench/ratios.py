"""The statistics of the benchmark: a ratio for each round, and their median and spread. Pure."""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Spread:
    """The middle of some figures, and how far they lie apart."""

    median: float
    least: float
    greatest: float
    count: int


def spread(figures):
    """Of at least one figure."""
    return Spread(statistics.median(figures), min(figures), max(figures), len(figures))


def paired(rounds, above, below):
    """The ratio of two contestants in each round that has both; figures of different rounds are
    never compared, since the machine may have been busier in one of them."""
    return [each[above] / each[below] for each in rounds if above in each and below in each]


def shuffled_rounds(names, count, generator):
    """The orders in which the contestants take their turns, one a round. Nobody always goes first,
    and nobody always comes after the same one."""
    orders = []
    for _ in range(count):
        order = list(names)
        generator.shuffle(order)
        orders.append(order)
    return orders


def verdict(ratios, target):
    """Whether a target is reached: by the median. None where there is none, or no figure."""
    if target is None or not ratios:
        return None
    return spread(ratios).median >= target
