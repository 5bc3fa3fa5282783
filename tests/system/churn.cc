#include "tests/system/churn.h"

#include <cstdio>
#include <fstream>
#include <mutex>
#include <random>
#include <utility>

#include <unistd.h>

#include "tests/system/boot_time.h"

namespace locker::system_test {
namespace {

// The file of one thread; the locker's own thread writes into it too.
class History {
 public:
  explicit History(const std::string& path) : file_(std::fopen(path.c_str(), "a")) {}
  ~History() {
    if (file_ != nullptr) std::fclose(file_);
  }
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  void write(const char* event, const std::string& resource, const std::string& text = "-") {
    write_at(boot_time_ns(), event, resource, text);
  }
  void write_at(std::int64_t when, const char* event, const std::string& resource,
                const std::string& text = "-") {
    const std::lock_guard guard(mutex_);
    if (file_ == nullptr) return;
    std::fprintf(file_, "%lld %s %s %s\n", static_cast<long long>(when), event, resource.c_str(),
                 text.c_str());
    std::fflush(file_);
  }

 private:
  std::mutex mutex_;
  std::FILE* file_;
};

std::string count_file(const std::string& folder, const std::string& resource) {
  std::string name = resource;
  for (char& letter : name) {
    if (letter == '/') letter = '_';
  }
  return folder + "/" + name + ".count";
}

void add_one(const std::string& path) {
  std::int64_t number = 0;
  std::ifstream(path) >> number;
  std::ofstream(path) << number + 1;
}

void pause_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// The time is taken first: if the lock is believed after it, it was believed after that time.
bool work(const LockHandle& lock, History& history, const std::string& resource) {
  const std::int64_t when = boot_time_ns();
  if (!lock.held()) return false;
  history.write_at(when, "working", resource);
  return true;
}

void hold(LockHandle& lock, History& history, const std::string& resource, const ChurnPlan& plan,
          int hold_ms) {
  lock.on_lost([&](const Error& why) { history.write("lost", resource, why.code); });
  if (work(lock, history, resource) && plan.mode == LockMode::exclusive) {
    add_one(count_file(plan.folder, resource));
  }
  if (hold_ms > 0) pause_ms(hold_ms);
  work(lock, history, resource);
  history.write("released", resource);
  const Result<void> unlocked = lock.unlock();
  history.write("unlocked", resource, unlocked ? "-" : unlocked.error().code);
}

}  // namespace

Result<std::unique_ptr<Churn>> Churn::begin(ChurnPlan plan) {
  std::unique_ptr<Churn> churn(new Churn(std::move(plan)));
  for (int index = 0; index < churn->plan_.lockers; ++index) {
    Result<PartitionLocker> opened = PartitionLocker::open(churn->plan_.url, churn->plan_.open);
    if (!opened) return opened.error();
    churn->lockers_.push_back(*std::move(opened));
  }
  int number = 0;
  for (PartitionLocker& locker : churn->lockers_) {
    for (int index = 0; index < churn->plan_.threads; ++index) {
      churn->threads_.emplace_back(&Churn::run, churn.get(), std::ref(locker), ++number);
    }
  }
  return churn;
}

Churn::~Churn() {
  stop();
}

int Churn::stop() {
  stop_.request_stop();
  return join();
}

int Churn::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return granted_.load();
}

void Churn::run(PartitionLocker& locker, int number) {
  const std::string client = std::to_string(::getpid()) + "-" + std::to_string(number);
  History history(plan_.folder + "/history-" + client);
  std::mt19937 random(static_cast<unsigned>(::getpid() * 1000 + number));
  std::uniform_int_distribution<std::size_t> which(0, plan_.resources.size() - 1);
  std::uniform_int_distribution<int> how_long(0, plan_.hold_ms);
  for (int round = 0; plan_.rounds == 0 || round < plan_.rounds; ++round) {
    if (stop_.stop_requested()) return;
    const PartitionSpec& wanted = plan_.resources[which(random)];
    const std::string resource = wanted.to_string();
    LockOptions options;
    options.cancel = stop_.get_token();
    options.on_waiting = [&](const WaitStatus& status) {
      history.write("waiting", resource, std::to_string(status.place));
    };
    history.write("asked", resource);
    Result<LockHandle> lock = locker.lock({{wanted, plan_.mode}}, options);
    if (!lock) {
      history.write("failed", resource,
                    std::string(name_of(lock.error().errc)) + "/" + lock.error().code);
      // Whoever can't reach a coordinator asks it again, but not without a pause.
      if (!stop_.stop_requested()) pause_ms(20);
      continue;
    }
    history.write("granted", resource, lock->token().to_string());
    granted_.fetch_add(1);
    hold(*lock, history, resource, plan_, how_long(random));
  }
}

}  // namespace locker::system_test
