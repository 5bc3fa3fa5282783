#include "tests/zookeeper/relay/line.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace locker::tests {

std::chrono::milliseconds relay_bound() {
  const char* slow = std::getenv("LOCKER_TEST_SLOW");
  const double factor = slow != nullptr ? std::max(1.0, std::atof(slow)) : 1.0;
  return std::chrono::milliseconds(static_cast<long>(20000 * factor));
}

Line::Line(int socket) : socket_(socket) {
  const auto bound = relay_bound();
  const timeval wait{bound.count() / 1000, bound.count() % 1000 * 1000};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

Line Line::connect(std::uint16_t port) {
  Line line(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const void* target = &address;
  if (::connect(line.socket_, static_cast<const sockaddr*>(target), sizeof address) != 0)
    line.close();
  return line;
}

Line::Line(Line&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Line& Line::operator=(Line&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

Line::~Line() {
  close();
}

bool Line::send(const std::string& data) const {
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t bytes = ::send(socket_, data.data() + done, data.size() - done, MSG_NOSIGNAL);
    if (bytes <= 0) return false;
    done += static_cast<std::size_t>(bytes);
  }
  return true;
}

std::string Line::receive(std::size_t bytes) const {
  std::string data(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::recv(socket_, data.data() + done, bytes - done, 0);
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  data.resize(done);
  return data;
}

std::string Line::receive_some() const {
  std::string data(65536, '\0');
  const ssize_t got = ::recv(socket_, data.data(), data.size(), 0);
  data.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return data;
}

std::string Line::receive_all() const {
  std::string data;
  std::array<char, 65536> part;
  while (true) {
    const ssize_t got = ::recv(socket_, part.data(), part.size(), 0);
    if (got <= 0) return data;
    data.append(part.data(), static_cast<std::size_t>(got));
  }
}

Line::End Line::end() const {
  std::array<char, 4096> part;
  while (true) {
    const ssize_t got = ::recv(socket_, part.data(), part.size(), 0);
    if (got == 0) return End::orderly;
    if (got < 0) return errno == EAGAIN ? End::never : End::reset;
  }
}

bool Line::await_reset() const {
  pollfd line{socket_, 0, 0};
  return ::poll(&line, 1, static_cast<int>(relay_bound().count())) == 1;
}

bool Line::has_ended() const {
  char next = 0;
  const ssize_t got = ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN);
}

void Line::end_sending() const {
  ::shutdown(socket_, SHUT_WR);
}

void Line::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void Line::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

std::string packet(const std::string& body) {
  std::string framed(4, '\0');
  for (std::size_t index = 0; index < 4; ++index) {
    framed[index] = static_cast<char>(body.size() >> (24 - 8 * index));
  }
  return framed + body;
}

std::string receive_packet(const Line& line) {
  const std::string head = line.receive(4);
  if (head.size() < 4) return {};
  std::size_t size = 0;
  for (const char each : head) size = size << 8U | static_cast<unsigned char>(each);
  return line.receive(size);
}

std::string noise(std::size_t bytes, std::uint32_t seed) {
  // Not the library's engines: they take seconds for what is sent here where nothing is optimized.
  std::uint64_t state = seed;
  std::string data(bytes + sizeof state, '\0');
  for (std::size_t index = 0; index < bytes; index += sizeof state) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::memcpy(data.data() + index, &state, sizeof state);
  }
  data.resize(bytes);
  return data;
}

}  // namespace locker::tests
