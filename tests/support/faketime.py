"""Another clock for one process.

The command `faketime` stands between as a parent, so that its pid is not the program's; here the
library is loaded directly.
"""

import glob


def library():
    """libfaketime's file, or None."""
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    return found[0] if found else None


def missing_parts():
    """What this host does not have for it."""
    return [] if library() else ["libfaketime"]


def with_clock(clock):
    """The words before a command that give it a clock: "+10m" is ahead, "+0 x2" twice as fast."""
    return ["env", f"LD_PRELOAD={library()}", f"FAKETIME={clock}"]
