#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <zookeeper/zookeeper.h>
#include <boost/asio/any_io_executor.hpp>

#include <locker/result.h>

#include "backends/zookeeper/answer.h"
#include "backends/zookeeper/client_thread.h"
#include "backends/zookeeper/mailbox.h"
#include "backends/zookeeper/watch_book.h"
#include "runtime/event.h"

namespace locker::backends::zookeeper {

// Events that want to hear of something, as long as they are there.
class Audience {
 public:
  void add(const runtime::EventPtr& event);
  void tell();

 private:
  std::vector<std::weak_ptr<runtime::Event>> events_;
};

// One client and its session, as the runtime's thread sees it. The first part is for the handle,
// the second for letters.
class ClientLink {
 public:
  struct Options {
    boost::asio::any_io_executor executor;
    std::string servers;  // in the client's spelling
    int session_timeout_ms = 0;
    std::string digest;  // of the identity; empty: nobody
  };
  // Sends a request with that number as its data; answers as the client's function does.
  using Request = std::function<int(zhandle_t*, const void* data)>;
  // Takes the answer, once: the client's, or ours where that won't come.
  using Landing = std::function<void(Answer)>;

  // Begins to connect.
  static std::shared_ptr<ClientLink> open(Options options);
  ClientLink(const ClientLink&) = delete;
  ClientLink& operator=(const ClientLink&) = delete;
  // Closes without waiting, and answers whatever flies.
  ~ClientLink();

  // `keepsake` is what the client writes the answer to.
  void send(const Request& request, Landing landing, ClientThread::Keepsake keepsake = nullptr);
  void watch(const std::string& path, const runtime::EventPtr& changed, Landing landing);

  // The session stands, and the server has heard who we are.
  bool is_ready() const;
  bool in_contact() const { return in_contact_; }
  std::int64_t session_id() const { return session_id_; }
  int timeout_ms() const { return timeout_ms_; }
  std::uint64_t requests() const { return requests_; }
  const std::optional<Error>& over() const { return over_; }
  void on_over(const runtime::EventPtr& event);
  void on_contact(const runtime::EventPtr& event) { contact_listeners_.add(event); }
  // The last trouble that the client met; empty where it met none.
  std::string trouble() const { return mailbox_->noted(); }

  // Begins to close. The event is set when it is done; null where it was done before.
  runtime::EventPtr close();

  // The client is there.
  void opened(zhandle_t* client);
  // There will be no client: no server has an address.
  void failed(const std::string& reason);
  void hear(const SessionNews& news);
  void identified(int code);
  void fired(std::uint64_t ticket) { watches_.fired(ticket); }
  void answered(std::uint64_t call, Answer answer);
  // The client's last words were before this.
  void closed();

 private:
  explicit ClientLink(Options options);

  std::optional<Error> obstacle() const;
  void dispatch(std::uint64_t call, const Request& request, Landing landing);
  void identify();
  void end(const Error& why);
  void land_all();
  void set_contact(bool contact);
  ClientThread::Keepsake take_keepsakes();

  using Flights = std::map<std::uint64_t, Landing>;
  using Keepsakes = std::map<std::uint64_t, ClientThread::Keepsake>;

  Options options_;
  std::shared_ptr<Mailbox> mailbox_;
  zhandle_t* client_ = nullptr;  // null before it is there, and once it is being closed
  std::uint64_t last_call_ = 0;
  std::uint64_t requests_ = 0;
  Flights flights_;
  Keepsakes keepsakes_;
  WatchBook watches_;

  bool in_contact_ = false;
  bool identity_sent_ = false;
  bool identity_heard_ = false;
  std::int64_t session_id_ = 0;
  int timeout_ms_ = 0;
  std::optional<Error> over_;
  Audience over_listeners_;
  Audience contact_listeners_;
  bool closing_ = false;
  bool closed_ = false;
  std::vector<runtime::EventPtr> closers_;
  std::optional<ClientThread> thread_;  // starts when its letters have somebody to read them
};

}  // namespace locker::backends::zookeeper
