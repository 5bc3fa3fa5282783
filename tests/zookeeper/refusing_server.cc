#include "tests/zookeeper/refusing_server.h"

#include <array>
#include <cstddef>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

namespace locker::tests {

using boost::asio::ip::tcp;

namespace {

constexpr std::int32_t session_timeout_ms = 10000;
constexpr std::int64_t session_id = 77;
constexpr std::int32_t password_size = 16;
// The number of a packet with an identity, and of its answer.
constexpr std::int32_t identity_number = -4;
constexpr std::int32_t refused = -115;

void append(std::string& packet, std::int64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    packet += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xFFU);
  }
}

std::string framed(const std::string& packet) {
  std::string frame;
  append(frame, static_cast<std::int64_t>(packet.size()), 4);
  return frame + packet;
}

void read_packet(tcp::socket& line, boost::system::error_code& failure) {
  std::array<unsigned char, 4> head{};
  boost::asio::read(line, boost::asio::buffer(head), failure);
  std::size_t size = 0;
  for (const unsigned char byte : head) size = size << 8U | byte;
  std::string packet(size, '\0');
  if (!failure) boost::asio::read(line, boost::asio::buffer(packet), failure);
}

}  // namespace

RefusingServer::RefusingServer()
    : acceptor_(context_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
      line_(context_),
      port_(acceptor_.local_endpoint().port()),
      thread_([this] { serve(); }) {}

RefusingServer::~RefusingServer() {
  thread_.join();
}

std::string RefusingServer::address() const {
  return "127.0.0.1:" + std::to_string(port_);
}

void RefusingServer::serve() {
  boost::system::error_code failure;
  acceptor_.accept(line_, failure);
  if (!failure) read_packet(line_, failure);
  std::string opened;
  append(opened, 0, 4);
  append(opened, session_timeout_ms, 4);
  append(opened, session_id, 8);
  append(opened, password_size, 4);
  opened += std::string(password_size, 'p');
  opened += '\0';  // not read-only
  if (!failure) boost::asio::write(line_, boost::asio::buffer(framed(opened)), failure);
  if (!failure) read_packet(line_, failure);
  std::string refusal;
  append(refusal, identity_number, 4);
  append(refusal, 0, 8);
  append(refusal, refused, 4);
  if (!failure) boost::asio::write(line_, boost::asio::buffer(framed(refusal)), failure);
  // Until the client hangs up.
  while (!failure) read_packet(line_, failure);
}

}  // namespace locker::tests
