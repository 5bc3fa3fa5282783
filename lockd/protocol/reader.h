#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lockd/protocol/messages.h"

namespace locker::lockd {

// In the order in which it was written: the columns of a partition have one.
using Json = nlohmann::ordered_json;

// Parses what must be one JSON object. Error: invalid/bad_json: no JSON, no object, not UTF-8,
// a member that stands twice, or deeper than anything of ours.
Result<Json> parse_object(std::string_view body);

// Reads the members of one JSON object into values. A member that is not there leaves its value as
// it is. The first thing that is wrong is kept, and everything after it is skipped; `finish` tells.
class Reader {
 public:
  // `what` is the object in a sentence, e.g. "a renewal". The object must outlive the reader.
  Reader(const Json& object, std::string what);

  // A member that has to be there.
  void need(std::string_view name);
  // Whether a member is there.
  bool has(std::string_view name) const;

  void text(std::string_view name, std::string& value);
  void optional_text(std::string_view name, std::optional<std::string>& value);
  void texts(std::string_view name, std::vector<std::string>& value);
  void flag(std::string_view name, bool& value);
  void natural(std::string_view name, std::uint64_t& value);
  void natural(std::string_view name, std::int64_t& value);
  void natural(std::string_view name, int& value);
  void optional_natural(std::string_view name, std::optional<int>& value);
  void duration(std::string_view name, Milliseconds& value);
  // `"inf"` as well, which is wait_for_ever.
  void timeout(std::string_view name, Milliseconds& value);
  void optional_duration(std::string_view name, std::optional<Milliseconds>& value);
  void time(std::string_view name, std::chrono::system_clock::time_point& value);
  void optional_time(std::string_view name,
                     std::optional<std::chrono::system_clock::time_point>& value);
  void token(std::string_view name, FencingToken& value);
  void spec(std::string_view name, PartitionSpec& value);
  void mode(std::string_view name, LockMode& value);
  // One of a few words.
  void word(std::string_view name, const std::vector<std::string_view>& words,
            const std::function<void(std::size_t)>& chosen);
  // An object, read by `read`; null counts as not there.
  void object(std::string_view name, std::string what, const std::function<void(Reader&)>& read);
  // An object whose names are anybody's; `value` is null where it is no text.
  void object_of_texts(
      std::string_view name,
      const std::function<void(const std::string& name, const std::string* value)>& read);
  // A list of objects; `read` is called for each.
  void list(std::string_view name, std::string what, const std::function<void(Reader&)>& read);
  // A list of resources.
  void specs(std::string_view name, std::vector<PartitionSpec>& value);
  // A lock's members: objects, or resources alone.
  void members(std::string_view name, LockSet& value);

  // The first error, a member that nobody asked for among them.
  Result<void> finish();

 private:
  const Json* find(std::string_view name);
  // Whether the member is missing or null.
  bool nothing_at(std::string_view name);
  void wrong(std::string_view name, std::string_view should_be);
  void fail(Error error);
  bool read_spec(std::string_view name, const Json& item, PartitionSpec& value);
  bool read_natural(std::string_view name, std::uint64_t greatest, std::uint64_t& value);

  const Json& object_;
  std::string what_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

}  // namespace locker::lockd
