#include "backends/zookeeper/path_rules.h"

#include <cstddef>
#include <string>

#include "backends/zookeeper/packet_limits.h"
#include "core/utf8.h"
#include "core/visible_text.h"

namespace locker::backends::zookeeper {
namespace {

// The server keeps a path as UTF-16 and looks at each unit, so it takes a character beyond U+FFFF
// for the two surrogates that stand for it, and refuses it.
bool is_refused(const core::Character& character) {
  const char32_t code = character.code;
  return !character.valid || code <= 0x1F || (code >= 0x7F && code <= 0x9F) ||
         (code >= 0xD800 && code <= 0xF8FF) || code >= 0xFFF0;
}

Error refusal(std::string_view path, std::string_view why) {
  return make_error(
      Errc::invalid, "bad_path",
      "\"" + core::visible_text(path) + "\" is no path of ZooKeeper: " + std::string(why) + ".");
}

// One name of a path, without slashes.
const char* trouble_with(std::string_view name) {
  if (name.empty()) return "a name in it is empty";
  if (name == "." || name == "..") return "a name in it is relative";
  for (std::size_t offset = 0; offset < name.size();) {
    const core::Character character = core::front_character(name.substr(offset));
    if (is_refused(character)) return "the server refuses one of its characters";
    offset += character.size;
  }
  return nullptr;
}

}  // namespace

Result<void> check_path(std::string_view path) {
  if (path.size() > path_limit) {
    return make_error(Errc::too_large, "A path of ZooKeeper has more than 64 KiB.");
  }
  if (path.empty() || path.front() != '/') return refusal(path, "it begins with no slash");
  if (path == "/") return {};
  std::string_view rest = path.substr(1);
  while (true) {
    const std::size_t slash = rest.find('/');
    if (const char* trouble = trouble_with(rest.substr(0, slash))) return refusal(path, trouble);
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

Result<void> check_sequence_path(std::string_view path) {
  return check_path(std::string(path) + "0");
}

}  // namespace locker::backends::zookeeper
