#include <utility>

#include <nlohmann/json.hpp>

#include "lockd/protocol/json.h"
#include "lockd/protocol/values.h"

namespace locker::lockd {

std::string_view name_of(Retry retry) {
  switch (retry) {
    case Retry::same:
      return "same";
    case Retry::renewed:
      return "new";
    case Retry::never:
      return "never";
  }
  return "never";
}

Retry retry_of(Errc errc) {
  switch (errc) {
    case Errc::rate_limited:
    case Errc::unavailable:
      return Retry::same;
    // These ended the request: its name stands for that answer.
    case Errc::timeout:
    case Errc::conflict:
    case Errc::deadlock:
    case Errc::lost:
    case Errc::aborted:
    case Errc::cancelled:
      return Retry::renewed;
    case Errc::invalid:
    case Errc::fenced:
    case Errc::mismatch:
    case Errc::refused:
    case Errc::unauthorized:
    case Errc::not_found:
    case Errc::gone:
    case Errc::too_large:
    case Errc::unsupported:
    case Errc::config:
    case Errc::internal:
      return Retry::never;
  }
  return Retry::never;
}

std::string problem_json(const Error& error, int status, std::string_view request_id) {
  Json to = Json::object();
  to["type"] = "about:blank";
  to["status"] = status;
  to["retry"] = name_of(retry_of(error.errc));
  to["request_id"] = request_id;
  add_error(to, error);
  return line_of(to);
}

Error read_problem(int status, std::string_view body) {
  Error no_problem = make_error(
      Errc::unavailable, "no_problem",
      "The daemon's address answered " + std::to_string(status) +
          " in a way that is not the daemon's: see whether something else listens there.");
  Error error;
  std::string ignored;
  int stated = 0;
  const Result<void> read = read_body(body, "a problem", [&](Reader& from) {
    from.need("title");
    from.need("detail");
    from.text("type", ignored);
    from.natural("status", stated);
    from.text("retry", ignored);
    from.text("request_id", ignored);
    read_error(from, error);
  });
  if (!read) return no_problem;
  return error;
}

}  // namespace locker::lockd
