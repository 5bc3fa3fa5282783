#include "backends/zookeeper/relay/name_lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

namespace locker::backends::zookeeper::relay {

Result<Addresses> ask_system(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  // No AI_ADDRCONFIG: where only loopback exists it would hide loopback's own addresses.
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
  if (failure != 0) {
    return make_error(Errc::unavailable,
                      std::string("cannot be resolved (") +
                          (failure == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(failure)) +
                          ")");
  }
  Addresses addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    boost::asio::ip::tcp::endpoint endpoint;
    if (each->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), each->ai_addr, each->ai_addrlen);
    addresses.push_back(endpoint.address());
  }
  ::freeaddrinfo(found);
  return addresses;
}

NameLookup::NameLookup(boost::asio::any_io_executor executor, LookUp look_up)
    : look_up_(look_up ? std::move(look_up) : ask_system), mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->executor = std::move(executor);
}

void NameLookup::stop() {
  const std::scoped_lock lock(mailbox_->mutex);
  mailbox_->executor.reset();
}

void NameLookup::start(std::string name, Answer answer) {
  auto work = [look_up = look_up_, mailbox = mailbox_, name, answer] {
    Result<Addresses> found = look_up(name);
    const std::scoped_lock lock(mailbox->mutex);
    if (!mailbox->executor.has_value()) return;
    boost::asio::post(*mailbox->executor,
                      [answer, found = std::move(found)]() mutable { answer(std::move(found)); });
  };
  try {
    // It owns all that it uses, and nobody waits for it: see the class.
    std::thread(std::move(work)).detach();
  } catch (const std::system_error& failure) {
    answer(
        make_error(Errc::unavailable, std::string("cannot be resolved (") + failure.what() + ")"));
  }
}

}  // namespace locker::backends::zookeeper::relay
