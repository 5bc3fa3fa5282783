#include "backends/zookeeper/client_thread.h"

#include <pthread.h>
#include <zookeeper/zookeeper.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <utility>

#include "backends/zookeeper/client_callbacks.h"
#include "backends/zookeeper/client_link.h"
#include "backends/zookeeper/client_log.h"
#include "backends/zookeeper/left_threads.h"

namespace locker::backends::zookeeper {

struct ClientThread::Shared {
  std::shared_ptr<Mailbox> mailbox;
  std::string servers;
  int session_timeout_ms = 0;

  std::mutex mutex;  // guards what follows
  std::condition_variable asked;
  bool closing = false;
  Keepsake keepsake;

  std::atomic<bool> ended{false};
};

namespace {

// The client asks for the addresses of its servers at each turn of its loop, and waits for them,
// unless it is told to leave a while in between.
constexpr int resolution_delay_ms = 30000;

zhandle_t* open_client(const std::shared_ptr<Mailbox>& mailbox, const std::string& servers,
                       int session_timeout_ms) {
  zhandle_t* client = zookeeper_init2(servers.c_str(), hear_session, session_timeout_ms, nullptr,
                                      mailbox->context(0), ZOO_NO_LOG_CLIENTENV, note_log_line);
  if (client == nullptr) {
    const std::string reason = std::generic_category().message(errno);
    mailbox->post([reason](ClientLink& link) { link.failed(reason); });
    return nullptr;
  }
  zoo_set_servers_resolution_delay(client, resolution_delay_ms);
  mailbox->post([client](ClientLink& link) { link.opened(client); });
  return client;
}

}  // namespace

ClientThread::ClientThread(std::shared_ptr<Mailbox> mailbox, std::string servers,
                           int session_timeout_ms)
    : shared_(std::make_shared<Shared>()) {
  shared_->mailbox = std::move(mailbox);
  shared_->servers = std::move(servers);
  shared_->session_timeout_ms = session_timeout_ms;
  auto body = [shared = shared_] {
    name_thread(shared->mailbox->number());
    zhandle_t* client = open_client(shared->mailbox, shared->servers, shared->session_timeout_ms);
    Keepsake keepsake;
    {
      std::unique_lock lock(shared->mutex);
      shared->asked.wait(lock, [&] { return shared->closing; });
      keepsake.swap(shared->keepsake);
    }
    if (client != nullptr) zookeeper_close(client);
    keepsake.reset();
    shared->mailbox->post([](ClientLink& link) { link.closed(); });
    shared->ended.store(true);
  };
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ClientThread::~ClientThread() {
  if (!thread_.joinable()) return;
  close(nullptr);
  LeftThreads::instance().leave(std::move(thread_), {shared_, &shared_->ended});
}

void ClientThread::close(Keepsake keepsake) {
  {
    const std::scoped_lock lock(shared_->mutex);
    if (!shared_->closing) shared_->keepsake = std::move(keepsake);
    shared_->closing = true;
  }
  shared_->asked.notify_one();
}

}  // namespace locker::backends::zookeeper
