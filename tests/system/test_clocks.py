"""Clocks of another rate: a stale token never succeeds silently."""

import pytest

import faketime
from conftest import need
from peers import boot_ns, eventually

T_S = 4


@pytest.mark.parametrize("rate", ["x0.5", "x2"])
def test_R27_a_clock_of_another_rate_lets_no_stale_write_through(cluster, ensemble, rate):
    """The holder's clock is wrong beyond what exclusion allows; its late writes are refused still."""
    need(faketime.missing_parts())
    host = ensemble.host("a")
    wrong = cluster.peer(host, prefix=faketime.with_clock(f"+0 {rate}"))
    right = cluster.peer(ensemble.host("b"))
    held = wrong.lock("db.clock/dt=1")
    held.wait("granted")
    after = right.lock("db.clock/dt=1")
    after.wait("waiting")
    # Idle for three session time-outs: either it is told of a loss, or it still holds.
    begin = boot_ns()
    eventually(lambda: boot_ns() - begin > 3 * T_S * 1e9)
    if not held.said("lost"):
        assert not after.said("granted")
        wrong.record(held, "R27", "wrong").wait("recorded")
        ensemble.cut_off(host)
    granted = after.wait("granted")
    right.record(after, "R27", "right").wait("recorded")
    late = wrong.record(held, "R27", "late")
    ensemble.network.heal()
    assert late.wait("failed").rest.split()[0] in ("lost", "fenced", "unavailable")
    held.wait("lost")
    assert right.ask("recorded", "main", "R27").wait("right")
    assert granted.rest > held.said("granted")[0].rest
