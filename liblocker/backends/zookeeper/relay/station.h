#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

#include "backends/zookeeper/relay/ensemble.h"
#include "backends/zookeeper/relay/relay.h"
#include "backends/zookeeper/relay/tls_context.h"

namespace locker::backends::zookeeper::relay {

// How long the relay waits for what. The client has a third of the session's time-out left when it
// notices that its server is gone: a living server must be found well within that.
struct Patience {
  using Milliseconds = std::chrono::milliseconds;

  Patience(Milliseconds dial_timeout, Milliseconds session_timeout)
      : dial(dial_timeout),
        asked(std::min(dial_timeout, std::max(session_timeout / 9, Milliseconds(100)))),
        last_asked(std::max(dial_timeout, session_timeout / 3)),
        silence(std::max(session_timeout / 6, Milliseconds(1000))),
        session(session_timeout) {}

  // Between the starts of two of so many attempts: all have begun within a twelfth of the session.
  Milliseconds between_starts(std::size_t attempts) const {
    const Milliseconds share = session / (12 * static_cast<std::int64_t>(attempts));
    return std::clamp(share, Milliseconds(5), Milliseconds(100));
  }

  Milliseconds dial;        // for a connection, and for its handshake
  Milliseconds asked;       // for an answer, while another server stands ready
  Milliseconds last_asked;  // for an answer, while none does
  Milliseconds silence;     // for acknowledgements on a connection that is in use
  Milliseconds session;     // for the rest of a connection whose client has ended
};

// The newest reason why clients go without a server; any thread may read it.
class FailureNote {
 public:
  void write(Error failure) {
    const std::scoped_lock lock(mutex_);
    failure_ = std::move(failure);
  }
  void clear() {
    const std::scoped_lock lock(mutex_);
    failure_.reset();
  }
  std::optional<Error> read() const {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> failure_;
};

// What all connections of one relay share. The relay's thread only, but for the note.
struct Station {
  boost::asio::any_io_executor executor;
  std::shared_ptr<runtime::Clock> clock;
  Patience patience;
  std::unique_ptr<Ensemble> ensemble;
  std::unique_ptr<TlsContext> tls;  // null: plain TCP
  std::shared_ptr<FailureNote> note;
};
using StationPtr = std::shared_ptr<Station>;

}  // namespace locker::backends::zookeeper::relay
