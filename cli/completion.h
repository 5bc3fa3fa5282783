#pragma once

#include <string>

namespace locker::cli {

// Completions for a shell, made from the command tables.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace locker::cli
