#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

namespace locker::lockd::http {

using boost::asio::awaitable;
using Fields = std::vector<std::pair<std::string, std::string>>;

// Who is at the other end of a connection.
struct Peer {
  bool unix_socket = false;
  // Over a Unix socket, as the kernel knows it since the connection was made (SO_PEERCRED).
  std::int64_t pid = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string address;  // over TCP, numeric and without the port
};

// A request as the framing checks let it through; one body, whole.
struct Request {
  std::string id;      // of this request, for problems and logs
  std::string method;  // "GET"
  std::string path;    // still percent-encoded, without the query
  Fields query;        // decoded, in order
  Fields headers;      // names in lower case
  std::string body;
  Peer peer;
  std::uint64_t connection = 0;  // counts up; never used again
  // Requested once the other end has closed the connection, also while the handler waits.
  std::stop_token left;

  std::optional<std::string_view> header(std::string_view lower_case_name) const;
  std::optional<std::string_view> parameter(std::string_view name) const;
};
using RequestPtr = std::shared_ptr<const Request>;

// A body that comes piece by piece, e.g. server-sent events.
class Stream {
 public:
  virtual ~Stream() = default;
  // The next piece; nothing at the end. The connection destroys the stream when its peer has left,
  // after `left` of the request was requested.
  virtual awaitable<std::optional<std::string>> next() = 0;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  Fields headers;  // beside content type, length and date
  std::string body;
  std::shared_ptr<Stream> stream;  // then there is no body
  std::string route;               // the route's name, for metrics and logs; empty: none
};

// Answers a request. Runs on the server's one thread and may wait as long as it likes.
using Handler = std::function<awaitable<Response>(RequestPtr)>;

}  // namespace locker::lockd::http
