"""Checks what clients of a lock service believed, from what each wrote down on one host.

The events are those of churn.h. All times are of one clock, and those of `released` and `working`
were taken before the act, those of `granted` after it: whatever is found is a fault of the service.
"""

import collections
import pathlib
import typing


class Grant(typing.NamedTuple):
    """One grant and how its holder's belief ended."""

    client: str
    resource: str
    token: str
    asked: int
    waiting: int      # when it was in the queue, 0 if it never waited
    granted: int
    last_belief: int  # the newest moment at which it still believed
    ended: int        # when it let go or knew of the loss
    lost: bool


class History:
    """All grants of all clients, and what else they saw."""

    def __init__(self, folder):
        self.grants = []
        self.failures = collections.Counter()
        self.unfinished = []
        for path in sorted(pathlib.Path(folder).glob("history-*")):
            self.read(path)

    def read(self, path):
        asked = waiting = 0
        running = None
        for line in path.read_text().splitlines():
            when, event, resource, text = line.split(maxsplit=3)
            when = int(when)
            if event == "asked":
                asked, waiting = when, 0
            elif event == "waiting" and not waiting:
                waiting = when
            elif event == "granted":
                running = Grant(path.name, resource, text, asked, waiting, when, when, 0, False)
            elif event == "working":
                running = running._replace(last_belief=max(when, running.last_belief))
            elif event == "lost" and running:
                running = running._replace(lost=True, ended=running.ended or when)
            elif event == "released":
                running = running._replace(ended=running.ended or when)
            elif event == "unlocked":
                self.grants.append(running)
                running, asked = None, 0
            elif event == "failed":
                self.failures[text] += 1
                asked = 0
        if running or asked:
            self.unfinished.append((path.name, running, asked))

    @property
    def losses(self):
        return sum(grant.lost for grant in self.grants)

    @property
    def worked(self):
        """How many holders believed in their lock at all, and so counted up."""
        return sum(grant.last_belief > grant.granted for grant in self.grants)

    def by_resource(self):
        """resource → its grants in the order of their tokens."""
        found = collections.defaultdict(list)
        for grant in self.grants:
            found[grant.resource].append(grant)
        return {resource: sorted(grants, key=lambda grant: grant.token) for resource, grants in found.items()}

    def overlaps(self):
        """Pairs of which the first still believed when the second was granted."""
        return [
            (first, second)
            for grants in self.by_resource().values()
            for first, second in zip(grants, grants[1:])
            if first.last_belief > second.granted
        ]

    def token_faults(self):
        """Pairs with one token, or with tokens against the order of their grants."""
        return [
            (first, second)
            for grants in self.by_resource().values()
            for first, second in zip(grants, grants[1:])
            if first.token == second.token or first.granted > second.granted
        ]

    def order_faults(self):
        """Pairs of which the second asked when the first was in the queue already, and came first.

        Only for histories without faults: whoever can't be sure of its session queues again at the
        end, and need not have held anything.
        """
        faults = []
        for grants in self.by_resource().values():
            granted_so_far = []
            for grant in grants:
                if grant.waiting:
                    faults += [(grant, other) for other in granted_so_far[-50:] if other.asked > grant.waiting]
                granted_so_far.append(grant)
        return faults

    def longest_gap_ns(self, resource):
        """The longest time in which nobody was granted it."""
        times = sorted(grant.granted for grant in self.by_resource().get(resource, ()))
        return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)

    def check(self, *, ordered=True):
        """Asserts that nothing conflicting was ever believed, and that everything ended."""
        assert self.grants, "nothing was granted"
        assert not self.token_faults(), f"tokens do not rise: {self.token_faults()[0]}"
        assert not self.overlaps(), f"two holders at once: {self.overlaps()[0]}"
        assert not self.unfinished, f"calls that never ended: {self.unfinished}"
        if ordered:
            assert not self.order_faults(), f"overtaken: {self.order_faults()[0]}"
        return self


def counted(folder):
    """The sum of the numbers that holders counted up."""
    return sum(int(path.read_text()) for path in pathlib.Path(folder).glob("*.count"))


def check_count(folder, history):
    """Asserts that no holder overwrote another's number.

    Who loses a lock between asking whether it has it and writing may do so; nobody else may.
    """
    assert abs(counted(folder) - history.worked) <= history.losses
