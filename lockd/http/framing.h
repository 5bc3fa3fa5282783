#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <locker/result.h>

// The head of an HTTP/1.1 request, from its raw bytes. It is read strictly: whatever two readers
// could understand in two ways is refused, so that nothing can be hidden from one of them.
namespace locker::lockd::http {

// How the body's end is known.
enum class BodyKind {
  none,     // there is no body
  length,   // of as many bytes as Content-Length says
  chunked,  // in chunks, up to the last one
};

// What a head says; the views point into the text that was read.
struct Head {
  std::string_view method;
  std::string_view path;   // still percent-encoded, begins with a slash
  std::string_view query;  // without the question mark, still encoded
  bool version_1_1 = true;
  std::vector<std::pair<std::string_view, std::string_view>> fields;  // names as they were sent
  BodyKind body = BodyKind::none;
  std::uint64_t length = 0;  // of BodyKind::length
  bool keep_alive = true;
  bool expects_continue = false;

  // A field that stands at most once in a head, by its lower-case name; empty if absent.
  std::string_view only(std::string_view lower_case_name) const;
  bool has(std::string_view lower_case_name) const;
};

// Where a head ends in what has come so far.
struct HeadEnd {
  std::size_t end = 0;  // behind the empty line; 0: not there yet
  bool broken = false;  // no head can come of this any more
};

// Looks for the end of a head in `bytes`, of which `seen` bytes were looked at before.
HeadEnd find_head_end(std::string_view bytes, std::size_t seen);

// Reads a head, with the empty line at its end. Errors: invalid (400), code `bad_request`.
Result<Head> read_head(std::string_view text);

// Whether two texts are the same but for the case of ASCII letters.
bool same_word(std::string_view one, std::string_view other);

// Decodes %XX, and `+` as a space where it is a query's. Only for texts of a head that was read.
std::string percent_decoded(std::string_view text, bool is_query);

}  // namespace locker::lockd::http
