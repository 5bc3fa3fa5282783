#pragma once

#include <sys/types.h>

#include <string>

#include <locker/result.h>

#include "backends/local/descriptor.h"

namespace locker::backends::local {

// The two named pipes of a session.
//
// The life pipe tells whether the session lives: it does exactly while some process holds a write
// end, which the kernel closes with the process, however that ends. A stopped process keeps it.
// Nobody ever writes into it, and everybody but the session opens it for reading only.
//
// The bell wakes the session: whoever changes something that it watches writes one byte.
struct Pipes {
  Descriptor life;
  Descriptor bell;
};

// Makes both pipes and holds them open. Errors: unauthorized, unavailable.
Result<Pipes> make_pipes(const std::string& life_path, const std::string& bell_path,
                         mode_t life_mode, mode_t bell_mode);

// Whether the open pipe `held` is what stands at `path` now.
bool is_pipe_at(const Descriptor& held, const std::string& path);

// What a life pipe tells.
enum class Life {
  alive,    // a process holds a write end
  dead,     // nobody does
  missing,  // there is no such pipe
  unknown,  // it can't be opened: no rights, no descriptors left
};

// Asks the pipe at `path`.
Life life_at(const std::string& path);
// Asks a pipe that is open for reading already; takes out what somebody wrote into it.
Life life_of(int descriptor);
// Opens a life pipe for watching: it polls as hung up once nobody holds a write end any more, if
// somebody does at the time of the call. Not open: there is no such pipe, or no right to read it.
Descriptor open_life(const std::string& path);

// Rings a bell; a full one, or one that nobody listens to, is fine. Error: unavailable (this
// process can't open it, so that the listener might sleep on).
Result<void> ring_bell(const std::string& path);

// Takes all bytes out of a bell.
void empty_bell(int descriptor);

}  // namespace locker::backends::local
