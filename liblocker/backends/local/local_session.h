#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "backends/local/pipes.h"
#include "backends/local/store_thread.h"
#include "backends/local/watches.h"
#include "runtime/lock_backend.h"

namespace locker::backends::local {

// A session of a local store: it lives while its life pipe is held open, here or wherever
// liveness_descriptor() was handed to.
class LocalSession : public runtime::Session, public std::enable_shared_from_this<LocalSession> {
 public:
  struct Parts {
    StoreThreadPtr thread;
    AskOptions patience;
    std::string id;
    StoreFiles files;
    Pipes pipes;
    runtime::BootTime opened_at;
  };

  explicit LocalSession(Parts parts);
  ~LocalSession() override;
  // Begins to hear the bell; call once.
  void start();

  std::string id() const override { return id_; }
  runtime::awaitable<Result<runtime::Joined>> join(runtime::RequestPtr request) override;
  runtime::awaitable<Result<std::optional<runtime::Joined>>> find(
      runtime::RequestPtr request) override;
  runtime::awaitable<Result<std::vector<runtime::StandingTicket>>> standing(
      std::vector<core::Place> places) override;
  runtime::awaitable<Result<std::vector<core::Ticket>>> still_there(
      std::vector<core::Ticket> tickets) override;
  runtime::awaitable<Result<void>> watch(core::Ticket ticket, runtime::EventPtr changed) override;
  runtime::awaitable<Result<void>> leave(std::string request_id) override;
  runtime::awaitable<Result<void>> lower(std::string request_id) override;
  runtime::awaitable<Result<void>> reown(std::string request_id, std::string owner_id,
                                         std::string proof) override;
  runtime::awaitable<Result<std::vector<runtime::StandingTicket>>> tickets_of(
      std::string owner_id, std::vector<core::Place> near) override;
  runtime::awaitable<Result<void>> write_if_held(std::string request_id, std::string key,
                                                 std::string value) override;
  runtime::awaitable<Result<void>> beat() override;
  runtime::awaitable<Result<void>> touch() override;
  std::optional<runtime::Milliseconds> timeout() const override { return std::nullopt; }
  runtime::BootTime opened_at() const override { return opened_at_; }
  std::optional<Error> over() const override { return over_; }
  void on_over(const runtime::EventPtr& event) override;
  runtime::awaitable<void> close() override;
  int liveness_descriptor() const override { return life_.number(); }

 private:
  using Self = std::shared_ptr<LocalSession>;

  // Asks the store; an answer of `lost` ends the session, and whoever listens for that hears it
  // before the caller does.
  template <typename T>
  static runtime::awaitable<Result<T>> verb(Self self, StoreWork<T> work);
  static runtime::awaitable<void> look_on(Self self);

  void end(const Error& why);
  void hear_bell();
  void look();
  void look_later();
  void see(const Look& seen);
  void suspect(const std::string& session);

  StoreThreadPtr thread_;
  AskOptions patience_;
  std::string id_;
  Descriptor life_;
  boost::asio::posix::stream_descriptor bell_;
  boost::asio::steady_timer again_timer_;
  runtime::BootTime opened_at_;
  std::shared_ptr<Watches> watches_;
  StoreFiles files_;

  std::set<std::string> suspects_;  // sessions that may be dead
  bool looking_ = false;
  bool look_again_ = false;
  bool closed_ = false;
  std::optional<Error> over_;
  std::vector<std::weak_ptr<runtime::Event>> over_events_;
};

}  // namespace locker::backends::local
