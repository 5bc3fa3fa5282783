#include "cli/exit_codes.h"

#include <array>

namespace locker::cli {
namespace {

constexpr std::string_view with_resource =
    "|run|try|wait|ls|who|explain|break|doctor|precreate|table register|table unregister|table "
    "show|";
// Those that hold a lock or wait for one.
constexpr std::string_view with_lock = "|run|wait|precreate|table register|table unregister|";

constexpr std::array rows{
    ExitCodeRow{"0", "done", "done; for `run`, the command's own success", "all"},
    ExitCodeRow{"n", "command", "`run`: the command's own exit code, passed through", "|run|"},
    ExitCodeRow{"1", "no", "`verify`: a check failed; `break`: the user said no", "|verify|break|"},
    ExitCodeRow{"64", "usage", "a wrong option, value or URL on the command line", "all"},
    ExitCodeRow{"65", "data", "a wrong resource or data: a bad spec, an unknown column",
                with_resource},
    ExitCodeRow{"66", "not found", "there is no such lock, request or table",
                "|break|table show|table unregister|verify|"},
    ExitCodeRow{"69", "unavailable",
                "the store cannot be reached, or does not promise what was asked", "store"},
    ExitCodeRow{"70", "internal", "a bug of locker: please report it", "all"},
    ExitCodeRow{"74", "no output", "the answer could not be written to stdout", "all"},
    ExitCodeRow{"75", "not obtained",
                "the lock was not granted in time (`-E` changes it); try later",
                "|run|try|wait|precreate|table register|table unregister|"},
    ExitCodeRow{"76", "deadlock", "waiting would never end: let go of what you hold, start again",
                "|run|table register|table unregister|"},
    ExitCodeRow{"77", "no permission", "the store refuses this user", "store"},
    ExitCodeRow{"78", "configuration",
                "a wrong setting in the environment or a file, or another layout", "all"},
    ExitCodeRow{"80", "lost", "the lock was lost or broken; the command was ended", with_lock},
    ExitCodeRow{"126", "not executable", "`run`: the command was found but cannot be executed",
                "|run|"},
    ExitCodeRow{"127", "no command", "`run`: there is no such command", "|run|"},
    ExitCodeRow{"128+n", "signal", "signal n ended the command, or locker while it waited",
                "|run|wait|"},
};

}  // namespace

std::span<const ExitCodeRow> exit_code_table() {
  return rows;
}

int exit_code_of_error(const Error& error, int not_obtained) {
  if (error.errc == Errc::timeout) return not_obtained;
  return exit_code_of(error.errc, error.code);
}

}  // namespace locker::cli
