#include "tests/bench/packet_counter.h"

#include <algorithm>

namespace locker::bench {
namespace {

constexpr std::size_t number_bytes = 4;
// A packet is its length, and then at least the number and the kind of a request, or the number of
// an answer and a zxid.
constexpr std::size_t needed_bytes = 3 * number_bytes;

std::int32_t number_at(std::string_view bytes, std::size_t index) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(index * number_bytes, number_bytes)) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return static_cast<std::int32_t>(number);
}

std::string request_name(std::int32_t kind) {
  static const std::map<std::int32_t, std::string> names{
      {1, "create"},         {2, "delete"},      {3, "exists"},       {4, "getData"},
      {5, "setData"},        {8, "getChildren"}, {9, "sync"},         {11, "ping"},
      {12, "getChildren"},   {13, "check"},      {14, "multi"},       {15, "create"},
      {19, "create"},        {21, "create"},     {101, "setWatches"}, {105, "setWatches"},
      {18, "removeWatches"}, {-11, "close"}};
  const auto found = names.find(kind);
  return found == names.end() ? "request " + std::to_string(kind) : found->second;
}

std::string answer_name(std::int32_t number) {
  if (number == -1) return "notification";
  return number == -2 ? "pong" : "answer";
}

}  // namespace

void PacketCounter::read(std::string_view bytes) {
  counts_["bytes"] += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    if (to_skip_ > 0) {
      const std::size_t skipped = std::min(to_skip_, bytes.size());
      to_skip_ -= skipped;
      bytes.remove_prefix(skipped);
      continue;
    }
    const std::size_t taken = std::min(needed_bytes - begin_.size(), bytes.size());
    begin_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (begin_.size() < needed_bytes) return;
    count(begin_);
    const auto length = static_cast<std::size_t>(std::max(number_at(begin_, 0), 0));
    to_skip_ = length + number_bytes - std::min(length + number_bytes, needed_bytes);
    begin_.clear();
  }
}

void PacketCounter::count(std::string_view packet) {
  if (!greeted_) {
    greeted_ = true;
    return;
  }
  const bool asks = sender_ == Sender::client;
  ++counts_[asks ? request_name(number_at(packet, 2)) : answer_name(number_at(packet, 1))];
}

void PacketCounter::move_to(std::map<std::string, std::int64_t>& all) {
  for (const auto& [kind, number] : counts_) all[kind] += number;
  counts_.clear();
}

}  // namespace locker::bench
