#include "tests/bench/floor_session.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <mutex>

namespace locker::bench {
namespace {

// Shared by all sessions: the sessions of a benchmark connect one after the other.
std::mutex connecting;
std::condition_variable changed;

void on_session_event(zhandle_t* /*handle*/, int type, int state, const char* /*path*/,
                      void* /*context*/) {
  if (type != ZOO_SESSION_EVENT) return;
  if (state == ZOO_EXPIRED_SESSION_STATE) need(ZSESSIONEXPIRED, "the session");
  const std::scoped_lock lock(connecting);
  changed.notify_all();
}

struct Making {
  std::latch done{1};
  int code = ZOK;
};

void on_made(int code, const char* /*path*/, const void* data) {
  // The waiting thread owns it.
  auto* making = static_cast<Making*>(const_cast<void*>(data));
  making->code = code;
  making->done.count_down();
}

}  // namespace

void need(int code, const char* what) {
  if (code == ZOK) return;
  std::fprintf(stderr, "%s failed: %s\n", what, zerror(code));
  std::_Exit(1);
}

FloorSession::FloorSession(const std::string& address) {
  constexpr int session_timeout_ms = 30000;
  constexpr int resolution_delay_ms = 30000;
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  handle_ = zookeeper_init2(address.c_str(), on_session_event, session_timeout_ms, nullptr, nullptr,
                            ZOO_NO_LOG_CLIENTENV, nullptr);
  if (handle_ == nullptr) need(ZSYSTEMERROR, "zookeeper_init");
  zoo_set_servers_resolution_delay(handle_, resolution_delay_ms);
  std::unique_lock lock(connecting);
  const bool connected = changed.wait_for(
      lock, std::chrono::seconds(30), [this] { return zoo_state(handle_) == ZOO_CONNECTED_STATE; });
  if (!connected) need(ZOPERATIONTIMEOUT, "connecting");
}

FloorSession::~FloorSession() {
  zookeeper_close(handle_);
}

void FloorSession::make(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string front = path.substr(0, end);
    Making making;
    need(
        zoo_acreate(handle_, front.c_str(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE, 0, on_made, &making),
        "create");
    making.done.wait();
    if (making.code != ZNODEEXISTS) need(making.code, "create");
    if (end == std::string::npos) return;
  }
}

FloorTree::FloorTree(FloorSession& session, int partitions)
    : owner_("/floor/.owners/one"),
      table_("/floor/bench/floor"),
      coarse_{"/floor/bench/.coarse", table_ + "/.coarse"} {
  constexpr std::size_t id_digits = 64;
  constexpr std::size_t data_bytes = 150;
  name_ = "lock_x_" + std::string(id_digits, '7') + "-lock-";
  data_ = std::string(data_bytes, 'd');
  session.make(owner_);
  session.make(table_);
  for (int i = 0; i < partitions; ++i) {
    directories_.push_back(table_ + "/dt=" + std::to_string(i));
    session.make(directories_.back());
  }
}

}  // namespace locker::bench
