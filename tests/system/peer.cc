// A process of its own for the system tests: a program that uses the library as any user's does.
//
//   system_peer URL SESSION_TIMEOUT_MS CONNECT_TIMEOUT_MS
//
// Reads commands, one a line, "KEY VERB WORD…", and answers with lines "KEY TIME WORD…", where TIME
// is the boot time in nanoseconds. What may wait runs on a thread of its own, so answers come as
// they come; the key tells whose they are. A lock is named by the key of its command.
//
//   open LOCKER                                   opened SESSION_TIMEOUT_MS
//   close LOCKER                                  closed
//   lock LOCKER SPEC[,SPEC…] MODE TIMEOUT_MS OWNER
//                            waiting PLACE, each time; then granted TOKEN ID; later lost CODE
//                            MODE is x or s; OWNER a name, or - for one of its own
//   cancel KEY                                    cancelling
//   look KEY                                      held|suspended|lost|released VALID_FOR_MS
//   unlock KEY                                    unlocked
//   downgrade KEY                                 downgraded
//   record KEY NAME VALUE                         recorded
//   recorded LOCKER NAME                          VALUE, or nothing
//   churn FOLDER LOCKERS THREADS HOLD_MS ROUNDS SPEC[,SPEC…]     churning; done COUNT with ROUNDS
//   stop KEY                                      (of a churn) stopped COUNT
//
// Whatever fails answers "failed CLASS CODE MESSAGE".

#include <atomic>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "tests/system/boot_time.h"
#include "tests/system/churn.h"

using namespace locker;
using namespace locker::system_test;

namespace {

std::vector<PartitionSpec> specs_of(const std::string& text) {
  std::vector<PartitionSpec> specs;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    specs.push_back(PartitionSpec::parse(part).value());
  }
  return specs;
}

// One lock command, from its beginning on.
struct Hold {
  std::stop_source cancel;
  LockHandle handle;  // once granted
};

struct Job {
  std::atomic<bool> done = false;
  std::thread thread;
};

class Peer {
 public:
  Peer(std::string url, OpenOptions options) : url_(std::move(url)), options_(std::move(options)) {}

  // Obeys one line. Returns before what may wait has ended.
  void obey(const std::string& line);
  // Gives up what still waits, and waits for its end.
  void end();

 private:
  using Words = std::istringstream;

  void say(const std::string& key, const std::string& text);
  void fail(const std::string& key, const Error& error);
  // Says the answer of a call without a value.
  void tell(const std::string& key, const Result<void>& done, const std::string& text);
  // Runs it on a thread of its own.
  void start(std::function<void()> job);

  void open(const std::string& key, const std::string& name);
  void begin_lock(const std::string& key, Words& words);
  void lock(const std::string& key, PartitionLocker& locker, const LockSet& members,
            LockOptions options);
  void with_hold(const std::string& key, const std::string& verb, Words& words);
  void recorded(const std::string& key, Words& words);
  void begin_churn(const std::string& key, Words& words);

  PartitionLocker* locker(const std::string& name);
  std::shared_ptr<Hold> hold(const std::string& name);

  const std::string url_;
  const OpenOptions options_;
  std::mutex output_;
  std::mutex mutex_;  // guards the maps, not what is in them
  std::map<std::string, PartitionLocker> lockers_;
  std::map<std::string, std::shared_ptr<Hold>> holds_;
  std::map<std::string, Owner> owners_;
  std::map<std::string, std::unique_ptr<Churn>> churns_;
  std::list<Job> jobs_;
};

void Peer::say(const std::string& key, const std::string& text) {
  const std::int64_t now = boot_time_ns();
  const std::lock_guard guard(output_);
  std::cout << key << ' ' << now << ' ' << text << std::endl;
}

void Peer::start(std::function<void()> job) {
  // A thread that has ended keeps its stack until it is joined.
  jobs_.remove_if([](Job& one) {
    if (!one.done.load()) return false;
    one.thread.join();
    return true;
  });
  Job& made = jobs_.emplace_back();
  made.thread = std::thread([&made, run = std::move(job)] {
    run();
    made.done.store(true);
  });
}

void Peer::fail(const std::string& key, const Error& error) {
  std::string message = error.message;
  for (char& letter : message) {
    if (letter == '\n') letter = ' ';
  }
  say(key, "failed " + std::string(name_of(error.errc)) + " " + error.code + " " + message);
}

void Peer::tell(const std::string& key, const Result<void>& done, const std::string& text) {
  if (done) {
    say(key, text);
  } else {
    fail(key, done.error());
  }
}

PartitionLocker* Peer::locker(const std::string& name) {
  const std::lock_guard guard(mutex_);
  const auto found = lockers_.find(name);
  return found == lockers_.end() ? nullptr : &found->second;
}

std::shared_ptr<Hold> Peer::hold(const std::string& name) {
  const std::lock_guard guard(mutex_);
  const auto found = holds_.find(name);
  return found == holds_.end() ? std::make_shared<Hold>() : found->second;
}

void Peer::open(const std::string& key, const std::string& name) {
  Result<PartitionLocker> opened = PartitionLocker::open(url_, options_);
  if (!opened) return fail(key, opened.error());
  const auto timeout = opened->session_timeout();
  {
    const std::lock_guard guard(mutex_);
    lockers_.insert_or_assign(name, *std::move(opened));
  }
  say(key, "opened " + std::to_string(timeout ? timeout->count() : 0));
}

void Peer::begin_lock(const std::string& key, Words& words) {
  std::string name;
  std::string specs;
  std::string mode;
  std::string owner;
  std::int64_t timeout_ms = 0;
  words >> name >> specs >> mode >> timeout_ms >> owner;
  LockSet members;
  for (PartitionSpec& spec : specs_of(specs)) {
    members.push_back({std::move(spec), mode == "s" ? LockMode::shared : LockMode::exclusive});
  }
  LockOptions options;
  options.timeout = std::chrono::milliseconds(timeout_ms);
  options.on_waiting = [this, key](const WaitStatus& status) {
    say(key, "waiting " + std::to_string(status.place));
  };
  const auto made = std::make_shared<Hold>();
  options.cancel = made->cancel.get_token();
  {
    const std::lock_guard guard(mutex_);
    if (owner == "-") {
      options.owner = Owner::create();
    } else {
      options.owner = owners_.try_emplace(owner, Owner::create()).first->second;
    }
    holds_[key] = made;
  }
  PartitionLocker* const with = locker(name);
  start([this, key, with, members, options] { lock(key, *with, members, options); });
}

void Peer::lock(const std::string& key, PartitionLocker& locker, const LockSet& members,
                LockOptions options) {
  Result<LockHandle> granted = locker.lock(members, options);
  if (!granted) return fail(key, granted.error());
  const std::string text = "granted " + granted->token().to_string() + " " + granted->id();
  const std::shared_ptr<Hold> held = hold(key);
  {
    const std::lock_guard guard(mutex_);
    held->handle = *std::move(granted);
  }
  say(key, text);
  held->handle.on_lost([this, key](const Error& why) { say(key, "lost " + why.code); });
}

void Peer::with_hold(const std::string& key, const std::string& verb, Words& words) {
  std::string name;
  words >> name;
  const std::shared_ptr<Hold> held = hold(name);
  if (verb == "cancel") {
    held->cancel.request_stop();
    say(key, "cancelling");
  } else if (verb == "look") {
    static constexpr const char* states[] = {"held", "suspended", "lost", "released"};
    const std::int64_t valid_ms = held->handle.valid_for().count();
    const LockState state = held->handle.state();
    say(key, states[static_cast<int>(state)] + (" " + std::to_string(valid_ms)));
  } else if (verb == "unlock") {
    start([this, key, held] { tell(key, held->handle.unlock(), "unlocked"); });
  } else if (verb == "downgrade") {
    start([this, key, held] { tell(key, held->handle.downgrade(), "downgraded"); });
  } else {
    std::string with;
    std::string record;
    std::string value;
    words >> with >> record >> value;
    start([this, key, held, by = locker(with), record, value] {
      tell(key, by->record(held->handle, record, value), "recorded");
    });
  }
}

void Peer::recorded(const std::string& key, Words& words) {
  std::string name;
  std::string record;
  words >> name >> record;
  start([this, key, by = locker(name), record] {
    const Result<std::optional<std::string>> found = by->recorded(record);
    if (!found) return fail(key, found.error());
    say(key, found->value_or(""));
  });
}

void Peer::begin_churn(const std::string& key, Words& words) {
  ChurnPlan plan;
  plan.url = url_;
  plan.open = options_;
  std::string specs;
  words >> plan.folder >> plan.lockers >> plan.threads >> plan.hold_ms >> plan.rounds >> specs;
  plan.resources = specs_of(specs);
  const bool rounds = plan.rounds > 0;
  Result<std::unique_ptr<Churn>> begun = Churn::begin(std::move(plan));
  if (!begun) return fail(key, begun.error());
  Churn& churn = **begun;
  churns_[key] = *std::move(begun);
  say(key, "churning");
  if (rounds) {
    start([this, key, &churn] { say(key, "done " + std::to_string(churn.join())); });
  }
}

void Peer::obey(const std::string& line) {
  Words words(line);
  std::string key;
  std::string verb;
  words >> key >> verb;
  if (verb == "open" || verb == "close") {
    std::string name;
    words >> name;
    if (verb == "open") return start([this, key, name] { open(key, name); });
    std::map<std::string, PartitionLocker>::node_type closing;
    {
      const std::lock_guard guard(mutex_);
      closing = lockers_.extract(name);
    }
    closing = {};
    say(key, "closed");
  } else if (verb == "lock") {
    begin_lock(key, words);
  } else if (verb == "recorded") {
    recorded(key, words);
  } else if (verb == "churn") {
    begin_churn(key, words);
  } else if (verb == "stop") {
    std::string name;
    words >> name;
    start([this, key, name] { say(key, "stopped " + std::to_string(churns_.at(name)->stop())); });
  } else {
    with_hold(key, verb, words);
  }
}

void Peer::end() {
  for (auto& [key, held] : holds_) held->cancel.request_stop();
  for (Job& job : jobs_) job.thread.join();
  churns_.clear();
  holds_.clear();
  lockers_.clear();
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 64;
  OpenOptions options;
  options.application = "system-test";
  options.session_timeout = std::chrono::milliseconds(std::stoll(words[2]));
  options.connect_timeout = std::chrono::milliseconds(std::stoll(words[3]));
  Peer peer(words[1], options);
  for (std::string line; std::getline(std::cin, line);) {
    peer.obey(line);
  }
  peer.end();
  return 0;
}
