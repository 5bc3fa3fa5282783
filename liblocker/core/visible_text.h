#pragma once

#include <string>
#include <string_view>

namespace locker::core {

// Makes text from somebody else fit for a terminal, a table or a message: one line, no surprises.
// Control characters and bytes that are not UTF-8 become `\xNN`; characters that steer a terminal
// or the direction of writing, or that nobody can see, become `\u{N}`. Everything else stays, a
// backslash too, so showing text twice changes nothing more. It is for eyes: not to be read back.
std::string visible_text(std::string_view text);

}  // namespace locker::core
