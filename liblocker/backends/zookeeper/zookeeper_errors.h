#pragma once

#include <string>
#include <string_view>

#include <locker/result.h>

namespace locker::backends::zookeeper {

// Whether a request that was answered with this code may have had its effect, or have it yet.
bool is_unknown(int code);

// The error that a code of the client or the server stands for; `path` is the node it was about.
Error error_of(int code, std::string_view path);

}  // namespace locker::backends::zookeeper
