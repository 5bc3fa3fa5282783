#include "tests/lockd/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tests/lockd/http/running_server.h"

namespace lockd_http_tests {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char each) {
    return static_cast<char>(each < 0x80 ? std::tolower(each) : each);
  });
  return text;
}

Answer read_head(std::string_view text) {
  Answer answer;
  answer.status = std::atoi(std::string(text.substr(std::strlen("HTTP/1.1 "), 3)).c_str());
  std::size_t begin = text.find("\r\n") + 2;
  while (begin < text.size()) {
    const std::size_t end = text.find("\r\n", begin);
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 2;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    answer.headers[lower_case(std::string(line.substr(0, colon)))] = line.substr(colon + 2);
  }
  return answer;
}

}  // namespace

RawClient::RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  set_up();
  connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

RawClient::RawClient(const std::string& path)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  set_up();
  connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

RawClient::~RawClient() {
  close();
}

void RawClient::set_up() {
  timeval time{};
  time.tv_sec = static_cast<time_t>(std::chrono::ceil<std::chrono::seconds>(patience()).count());
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

bool RawClient::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool RawClient::read_some() {
  std::array<char, 16384> bytes;
  const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (count > 0) unread_.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

std::string RawClient::read_until(std::string_view text) {
  while (true) {
    const std::size_t at = unread_.find(text);
    if (at != std::string::npos) {
      std::string found = unread_.substr(0, at + text.size());
      unread_.erase(0, at + text.size());
      return found;
    }
    if (!read_some()) return {};
  }
}

Answer RawClient::read_answer(bool has_body) {
  const std::string head = read_until("\r\n\r\n");
  if (head.empty()) return {};
  Answer answer = read_head(head);
  if (!has_body) return answer;
  if (answer.headers.count("content-length") != 0) {
    const std::size_t size = std::strtoul(answer.headers["content-length"].c_str(), nullptr, 10);
    while (unread_.size() < size) {
      if (!read_some()) return {};
    }
    answer.body = unread_.substr(0, size);
    unread_.erase(0, size);
  } else if (answer.headers.count("transfer-encoding") != 0) {
    while (true) {
      const std::string line = read_until("\r\n");
      if (line.empty()) return {};
      const std::size_t size = std::strtoul(line.c_str(), nullptr, 16);
      while (unread_.size() < size + 2) {
        if (!read_some()) return {};
      }
      answer.body += unread_.substr(0, size);
      unread_.erase(0, size + 2);
      if (size == 0) break;
    }
  }
  return answer;
}

bool RawClient::is_closed() {
  std::array<char, 16384> bytes;
  while (true) {
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count == 0) return true;
    if (count < 0) return errno == ECONNRESET;
  }
}

void RawClient::stop_sending() {
  ::shutdown(socket_, SHUT_WR);
}

void RawClient::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void RawClient::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

std::string get(std::string_view path, std::string_view fields) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) +
         "\r\n";
}

std::string post(std::string_view path, std::string_view body, std::string_view fields) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

}  // namespace lockd_http_tests
