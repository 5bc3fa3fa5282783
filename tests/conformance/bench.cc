#include "tests/conformance/bench.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

namespace locker::conformance {
namespace {

// More than the ten seconds that a broken holder without a session time-out is given to stop.
constexpr std::chrono::milliseconds liveness_bound = std::chrono::seconds(30);

std::string random_name() {
  std::random_device random;
  std::string name = "conformance_";
  constexpr std::string_view digits = "0123456789abcdef";
  for (int i = 0; i < 12; ++i) name += digits[random() % digits.size()];
  return name;
}

std::string at(const Where& where, std::string_view what) {
  const std::string_view path = where.file_name();
  const std::string_view file = path.substr(path.find_last_of('/') + 1);
  return std::string(file) + ":" + std::to_string(where.line()) + ": " + std::string(what);
}

std::string told(const Error& error) {
  return std::string(name_of(error.errc)) + " (" + error.message + ")";
}

}  // namespace

Bench::Bench(Settings settings) : settings_(std::move(settings)), prefix_(random_name()) {}

Bench::~Bench() = default;

PartitionLocker Bench::locker(Where where) {
  OpenOptions options;
  options.application = "conformance";
  options.session_timeout = settings_.session_timeout;
  return value(PartitionLocker::open(settings_.url, options), "a locker opens", where);
}

PartitionSpec Bench::database() {
  databases_.emplace_back(prefix_ + "_" + std::to_string(databases_.size()));
  return databases_.back();
}

PartitionSpec Bench::table() {
  if (databases_.empty()) database();
  return PartitionSpec(databases_.front().database(), "t" + std::to_string(++tables_));
}

PartitionLocker& Bench::observer() {
  if (!observer_) observer_.emplace(locker());
  return *observer_;
}

std::chrono::milliseconds Bench::bound(double factor) const {
  const double scaled = static_cast<double>(liveness_bound.count()) * settings_.slow * factor;
  return std::chrono::milliseconds(static_cast<long>(scaled));
}

bool Bench::until(const std::function<bool()>& condition, double factor) const {
  const auto end = std::chrono::steady_clock::now() + bound(factor);
  std::chrono::microseconds pause(200);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20000));
  }
  return true;
}

bool Bench::expect(bool right, std::string_view what, Where where) {
  if (right) return true;
  const std::scoped_lock lock(mutex_);
  failures_.push_back(at(where, what));
  return false;
}

void Bench::must(bool right, std::string_view what, Where where) {
  if (!expect(right, what, where)) throw Abandoned{};
}

bool Bench::judge(const Error* error, std::string_view what, Where where) {
  if (error == nullptr) return true;
  if (error->errc == Errc::unsupported) unsupported_ = true;
  return expect(false, std::string(what) + "; but: " + told(*error), where);
}

Error Bench::judge_error(const Error* error, Errc errc, std::string_view what, Where where) {
  const std::string wanted = std::string(what) + " (" + std::string(name_of(errc)) + ")";
  if (error == nullptr) {
    expect(false, wanted + "; but it succeeded", where);
    return {};
  }
  if (error->errc != errc) judge(error, wanted, where);
  return *error;
}

LockHandle Bench::granted(Result<LockHandle> result, std::string_view what, Where where) {
  return value(std::move(result), what, where);
}

LockHandle Bench::granted(Ask& ask, std::string_view what, Where where) {
  return value(ask.answer(bound()), what, where);
}

Error Bench::ended(Ask& ask, Errc errc, std::string_view what, Where where) {
  return ended(ask.answer(bound()), errc, what, where);
}

bool Bench::ok(const Result<void>& result, std::string_view what, Where where) {
  return judge(result.has_value() ? nullptr : &result.error(), what, where);
}

std::vector<Contender> Bench::listed(const PartitionSpec& prefix, Where where) {
  return value(observer().list(prefix), "the queue can be listed", where);
}

std::vector<Contender> Bench::waiters(const PartitionSpec& prefix, Where where) {
  std::vector<Contender> all = listed(prefix, where);
  std::erase_if(all, [](const Contender& contender) { return contender.holds; });
  return all;
}

std::vector<Contender> Bench::holders(const PartitionSpec& prefix, Where where) {
  std::vector<Contender> all = listed(prefix, where);
  std::erase_if(all, [](const Contender& contender) { return !contender.holds; });
  return all;
}

void Bench::await_waiters(const PartitionSpec& prefix, std::size_t count, Where where) {
  const bool there = until([&] { return waiters(prefix, where).size() == count; });
  if (there) return;
  must(false,
       std::to_string(count) + " waiters stand in the queue; there are " +
           std::to_string(waiters(prefix, where).size()),
       where);
}

std::string Bench::record_key(const PartitionSpec& resource, std::string_view name) {
  return record_keys_.emplace_back(resource.to_string() + "#" + std::string(name));
}

void Bench::clean_up() {
  for (const PartitionSpec& database : databases_) {
    const bool empty = until([&] { return listed(database).empty(); });
    expect(empty, "nothing is left in " + database.to_string() + " once the check is over");
  }
  for (const TableColumns& columns : value(observer().tables(), "the tables can be listed")) {
    if (columns.table.database().starts_with(prefix_)) {
      ok(observer().unregister_table(columns.table), "a check's table can be forgotten");
    }
  }
  for (const std::string& key : record_keys_) {
    ok(observer().forget_record(key), "a check's record can be forgotten");
  }
}

Party::Party(Bench& bench) : locker(bench.locker()), bench_(bench) {}

LockHandle Party::hold(const Wanted& wanted, Where where) {
  Ask asked = ask(wanted);
  return bench_.granted(asked, "the lock is granted", where);
}

Result<LockHandle> Party::attempt(const Wanted& wanted) {
  LockOptions options;
  options.timeout = std::chrono::milliseconds(0);
  return ask(wanted, options).answer(bench_.bound());
}

Ask Party::ask(const Wanted& wanted, LockOptions options) {
  if (!options.owner) options.owner = owner;
  return Ask(locker, wanted, options);
}

Ask Party::queue(const Wanted& wanted, std::size_t before, LockOptions options, Where where) {
  Ask asked = ask(wanted, std::move(options));
  bench_.await_waiters(wanted.members.front().resource, before + 1, where);
  return asked;
}

}  // namespace locker::conformance
