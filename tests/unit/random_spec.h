#pragma once

#include <random>
#include <string>
#include <string_view>

#include <locker/partition_spec.h>

namespace tests {

// Makes specs from letters that bite: separators, escapes, dots, cases, and characters of every
// length. The letters are few, so that specs meet and contain each other often.
class RandomSpecs {
 public:
  explicit RandomSpecs(unsigned seed) : random_(seed) {}

  locker::PartitionSpec next() {
    locker::PartitionSpec spec =
        chance(8) ? locker::PartitionSpec(text()) : locker::PartitionSpec(text(), text());
    if (spec.table().empty()) return spec;
    for (int count = below(4); count > 0; --count) {
      const std::string value = chance(6) ? "" : text();
      spec.with(text() + std::to_string(count), value);
    }
    return spec;
  }

  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  bool chance(int one_of) { return below(one_of) == 0; }

 private:
  std::string text() {
    static constexpr std::string_view letters[] = {
        "a",  "A",      "b",      ".",          "/",     "%",    "=",
        "2F", "\n",     "\x7f",   " ",          "\\",    "é",    "\u0085",
        "日", "\ufff0", "\ue000", "\U0001F600", "1",     "*",    "_",
        "[",  "]",      "z",      "e\u0301",    "lock_", "m_x_", "0123456789abcdef"};
    std::string text;
    for (int count = 1 + below(chance(4) ? 8 : 2); count > 0; --count) {
      text += letters[static_cast<std::size_t>(below(static_cast<int>(std::size(letters))))];
    }
    return text;
  }

  std::mt19937 random_;
};

}  // namespace tests
