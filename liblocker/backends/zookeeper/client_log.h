#pragma once

#include <cstdint>

namespace locker::backends::zookeeper {

// The client logs through one function that knows no handle. Its threads take their name from the
// thread that starts them, and by that name a line finds the mailbox that it is about; errors
// are kept there, for the text of ours. Nothing is printed.
void note_log_line(const char* line);

// Gives the calling thread the name by which the lines of its children find the mailbox.
void name_thread(std::uint32_t mailbox);

}  // namespace locker::backends::zookeeper
