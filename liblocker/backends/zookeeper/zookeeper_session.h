#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "backends/zookeeper/enqueue_plan.h"
#include "backends/zookeeper/node_notes.h"
#include "backends/zookeeper/reading.h"
#include "runtime/lock_backend.h"

namespace locker::backends::zookeeper {

// A session of ZooKeeper's: its nodes stand while the ensemble hears of it.
// docs/design/zookeeper-backend.md explains the protocol.
class ZooKeeperSession : public runtime::Session,
                         public std::enable_shared_from_this<ZooKeeperSession> {
 public:
  struct Parts {
    boost::asio::any_io_executor executor;
    std::shared_ptr<runtime::Clock> clock;
    ViewPtr view;
    OwnerInfo self;
  };

  explicit ZooKeeperSession(Parts parts);
  // Begins to hear of the session's end; call once.
  void start();

  std::string id() const override { return name_; }
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
  std::optional<runtime::Milliseconds> timeout() const override;
  runtime::BootTime opened_at() const override { return view_->handle->opened_at(); }
  std::optional<Error> over() const override;
  void on_over(const runtime::EventPtr& event) override;
  runtime::awaitable<void> close() override;

 private:
  using Self = std::shared_ptr<ZooKeeperSession>;
  using EnqueuedPtr = std::shared_ptr<Enqueued>;
  struct Flights;

  // Enqueueing (session_enqueue.cc).
  static runtime::awaitable<Result<bool>> fix_order(Self self, TableColumns wanted,
                                                    OwnerInfo asker);
  static runtime::awaitable<Result<bool>> fix_orders(Self self, runtime::RequestPtr request,
                                                     bool anew);
  static runtime::awaitable<Result<void>> make_room(Self self, runtime::RequestPtr request);
  static runtime::awaitable<Result<std::optional<runtime::Joined>>> fly(
      Self self, runtime::RequestPtr request);
  Flights send(const Enqueued& unplaced, const EnqueuePlan& plan);
  static runtime::awaitable<Result<EnqueuedPtr>> placed(Self self, Enqueued unplaced,
                                                        Flights flights);
  static runtime::awaitable<Result<Seen>> seen(Self self, runtime::RequestPtr request,
                                               EnqueuePlan plan, Flights flights);
  static runtime::awaitable<Result<bool>> order_holds(Self self, runtime::RequestPtr request,
                                                      EnqueuePlan plan, Flights flights);
  bool knows(const TableColumns& order) const;
  static runtime::awaitable<void> leave_in_the_end(Self self, EnqueuedPtr request);

  // The session's own node (session_life.cc).
  std::string session_json() const;
  static runtime::awaitable<Result<void>> rewrite_own_node(Self self);
  static runtime::awaitable<Result<void>> check_broken(Self self);
  static runtime::awaitable<void> hear_of_breaks(Self self);
  void begin_to_hear();
  void end(const Error& why);

  static runtime::awaitable<Result<void>> remove_all(Self self, std::vector<std::string> paths);
  // The nodes of a request of this session, or of one that was lent to it.
  std::vector<std::string> nodes_of(const std::string& request_id) const;
  static runtime::awaitable<Result<std::vector<core::Place>>> members_of(Self self, FoundNode node);
  static runtime::awaitable<Result<FoundNodes>> whole_request(Self self, std::string request_id,
                                                              std::vector<core::Place> members);
  // Writes what the nodes of a request hold now.
  static runtime::awaitable<Result<void>> rewrite(Self self, EnqueuedPtr request);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<runtime::Clock> clock_;
  ViewPtr view_;
  OwnerInfo self_;
  std::string name_;
  std::int64_t opened_ms_ = 0;
  bool own_node_made_ = false;
  bool hears_breaks_ = false;
  bool closed_ = false;
  KnownOrders orders_;
  std::map<std::string, EnqueuedPtr> requests_;  // those of this session that stand
  // Nodes of another session's requests that were read for an inherited owner, by request.
  std::map<std::string, std::vector<std::string>> lent_;
  NodeNotes notes_;
  runtime::EventPtr break_news_;
  std::optional<Error> over_;
  std::vector<std::weak_ptr<runtime::Event>> over_events_;
};

}  // namespace locker::backends::zookeeper
