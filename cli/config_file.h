#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <locker/result.h>

namespace locker::cli {

inline constexpr std::size_t longest_config_bytes = 1024 * 1024;

// One entry of a configuration file, its value as it would be written for a flag.
struct ConfigEntry {
  std::string key;
  std::string value;
};

// Reads the text of a configuration file: one flat JSON object whose values are strings, numbers,
// true or false. Which keys there are is not its business. Error: config, with line and column.
Result<std::vector<ConfigEntry>> parse_config(std::string_view text);

}  // namespace locker::cli
