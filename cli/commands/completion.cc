#include "cli/completion.h"

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/render.h"

namespace locker::cli {
namespace {

int run(Call& call) {
  const std::vector<std::string>& words = call.options.words;
  const std::string shell = words.size() == 1 ? words.front() : "";
  std::string text;
  if (shell == "bash") text = bash_completion();
  if (shell == "zsh") text = zsh_completion();
  if (shell == "fish") text = fish_completion();
  if (text.empty()) {
    return call.voice.fail(
        make_error(Errc::invalid, "usage", "completion needs a shell: bash, zsh or fish"));
  }
  return print(text) ? exit_done : exit_no_output;
}

}  // namespace

extern const CommandSpec completion_command{
    "completion", "bash|zsh|fish", "print completions for a shell", "", {}, {}, false, run, {}, 1};

}  // namespace locker::cli
