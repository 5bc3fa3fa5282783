"""What is measured: each scenario with its contestants and the ratios to reach."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One row of the table. The name is what a contestant's program is told, unless `told` is."""

    name: str
    title: str
    contestants: tuple
    told: str = ""
    # Contestant → the least ratio of the library to it.
    targets: dict = dataclasses.field(default_factory=dict)
    latency_ms: float = 0
    # How often as long a turn takes as the usual one; for cycles that are rare.
    patience: int = 1

    @property
    def program_word(self):
        return self.told or self.name


RATES = (
    Scenario(
        "serial", "one caller, one partition", ("library", "floor", "bare", "curator", "kazoo"),
        targets={"floor": 0.9, "curator": 1.0},
    ),
    Scenario(
        "latency", "the same, 1 ms later each way", ("library", "floor", "bare", "curator", "kazoo"),
        told="serial", targets={"curator": 1.3}, latency_ms=1,
    ),
    Scenario(
        "parallel", "16 tasks, 16 partitions, one session", ("library", "floor", "curator", "kazoo"),
        targets={"floor": 0.9},
    ),
    Scenario(
        "contended", "16 sessions, one partition", ("library", "floor", "curator", "kazoo"),
        targets={"curator": 1.5},
    ),
    Scenario(
        "set", "a set of 100 partitions", ("library", "floor", "curator"),
        targets={"curator": 10}, patience=2,
    ),
)

# Counted and not timed: who takes part, how many, and the most that the library may need.
WAITERS = Scenario("waiters", "500 waiters on one partition", ("library", "curator", "kazoo"))
WAITERS_COUNT = 500
MOST_NOTIFICATIONS = 2.0

HELD = Scenario("held", "10,000 held locks", ("library", "curator", "kazoo"))
HELD_COUNT = 10_000
MOST_RESIDENT_MB = 200.0


def by_name(name):
    return next(each for each in (*RATES, WAITERS, HELD) if each.name == name)
