#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace locker::lockd::http {

// Reads a body that comes in chunks. What chunks and trailers say beside the data is dropped.
class ChunkedBody {
 public:
  enum class State { more, done, broken, too_large };

  explicit ChunkedBody(std::uint64_t limit_bytes);
  ChunkedBody(const ChunkedBody&) = delete;
  ChunkedBody& operator=(const ChunkedBody&) = delete;
  ~ChunkedBody();

  // Reads on; `bytes` begins where the last call stopped. `taken` is how many are dealt with.
  State read(std::string_view bytes, std::size_t& taken);
  // The body, once it is done.
  std::string take();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace locker::lockd::http
