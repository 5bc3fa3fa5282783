#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace lockd_http_tests {

struct Answer {
  int status = 0;                              // 0: the connection ended before a whole answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// One blocking socket that sends what it is told to.
class RawClient {
 public:
  // Connects over TCP, or to a Unix socket.
  explicit RawClient(int port);
  explicit RawClient(const std::string& path);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  bool is_connected() const { return connected_; }
  // Returns whether all was taken.
  bool send(std::string_view text);
  // The next answer, with a body by its length, in chunks, or none.
  Answer read_answer(bool has_body = true);
  // Reads up to and with a text; empty if it does not come.
  std::string read_until(std::string_view text);
  // Whether the server closes the connection in time, whatever it sends before.
  bool is_closed();
  void stop_sending();
  void close();
  // Closes with a reset.
  void reset();

 private:
  bool read_some();
  void set_up();

  int socket_ = -1;
  bool connected_ = false;
  std::string unread_;
};

// Short forms of requests to localhost.
std::string get(std::string_view path, std::string_view fields = "");
std::string post(std::string_view path, std::string_view body, std::string_view fields = "");

}  // namespace lockd_http_tests
