#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <locker/errc.h>

#include "lockd/http/exchange.h"

// Answers as they go onto the wire.
namespace locker::lockd::http {

// A request that the server itself refuses. The connection is closed after it.
struct Refusal {
  int status = 400;
  Errc errc = Errc::invalid;  // its name is the problem's title
  std::string code;
  std::string detail;
};

// The problem (RFC 9457) that says so.
Response problem_of(const Refusal& refusal, std::string_view request_id);

// What stands in an answer's head beside what the response says.
struct AnswerFacts {
  std::string_view request_id;
  bool keep_alive = true;
  bool version_1_1 = true;            // of the request
  std::optional<std::size_t> length;  // nothing: a stream
};

// Appends the head of an answer, with the empty line.
void append_head(const Response& response, const AnswerFacts& facts, std::string& text);

// Whether an answer of this status has a body at all.
bool may_have_body(int status);

}  // namespace locker::lockd::http
