#include "cli/exit_codes.h"

#include <array>

namespace locker::cli {
namespace {

constexpr std::array rows{
    ExitCodeRow{"0", "done", "done; for `run`, the command's own success"},
    ExitCodeRow{"n", "command", "`run`: the command's own exit code, passed through"},
    ExitCodeRow{"1", "no", "`verify`: a check failed; `break`: the user said no"},
    ExitCodeRow{"64", "usage", "a wrong option, value or URL on the command line"},
    ExitCodeRow{"65", "data", "a wrong resource or data: a bad spec, an unknown column"},
    ExitCodeRow{"66", "not found", "there is no such lock, request or table"},
    ExitCodeRow{"69", "unavailable",
                "the store cannot be reached, or does not promise what was asked"},
    ExitCodeRow{"70", "internal", "a bug of locker: please report it"},
    ExitCodeRow{"75", "not obtained",
                "the lock was not granted in time (`-E` changes it); try later"},
    ExitCodeRow{"76", "deadlock", "waiting would never end: let go of what you hold, start again"},
    ExitCodeRow{"77", "no permission", "the store refuses this user"},
    ExitCodeRow{"78", "configuration",
                "a wrong setting in the environment or a file, or another layout"},
    ExitCodeRow{"80", "lost", "the lock was lost or broken; the command was ended"},
    ExitCodeRow{"126", "not executable", "`run`: the command was found but cannot be executed"},
    ExitCodeRow{"127", "no command", "`run`: there is no such command"},
    ExitCodeRow{"128+n", "signal", "signal n ended the command, or locker while it waited"},
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
