#include "backends/local/store_thread.h"

#include <csignal>

namespace locker::backends::local {
namespace {

// Signals are for the threads of the program that uses this library.
std::thread start_without_signals(std::function<void()> body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

StoreThread::StoreThread(boost::asio::any_io_executor executor, StoreLocation location,
                         std::string boot)
    : executor_(std::move(executor)),
      location_(std::move(location)),
      boot_(std::move(boot)),
      thread_(start_without_signals([this] { run(); })) {}

StoreThread::~StoreThread() {
  halt();
}

void StoreThread::halt() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  posted_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void StoreThread::post(AskOptions options, Work work) {
  Job job{std::move(work), after(options.patience), options.reopens};
  {
    const std::scoped_lock lock(mutex_);
    if (ended_) {
      // The lock keeps the store to one thread at a time, as the thread of its own did.
      job.work(store_for(job));
      return;
    }
    jobs_.push_back(std::move(job));
  }
  posted_.notify_one();
}

void StoreThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    posted_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) break;
    {
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job.work(store_for(job));
    }
    lock.lock();
  }
  // Known before the lock goes: work that came in between would wait for ever.
  ended_ = true;
}

Result<Store*> StoreThread::store_for(const Job& job) {
  if (store_ != nullptr && job.reopens && store_->is_gone()) store_.reset();
  if (store_ == nullptr) {
    Result<std::unique_ptr<Store>> opened = Store::open(location_, boot_, job.deadline);
    if (!opened) return std::move(opened).error();
    store_ = *std::move(opened);
  }
  store_->set_deadline(job.deadline);
  return store_.get();
}

}  // namespace locker::backends::local
