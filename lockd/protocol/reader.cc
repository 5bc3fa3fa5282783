#include "lockd/protocol/reader.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <locker/text.h>

#include "core/time_text.h"

namespace locker::lockd {
namespace {

constexpr int greatest_depth = 12;
constexpr std::size_t shown_bytes = 64;

Error bad_json(std::string sentence) {
  return make_error(Errc::invalid, "bad_json", std::move(sentence));
}

// A name from somebody else, fit to be shown.
std::string shown(std::string_view name) {
  return "\"" + visible(name.substr(0, shown_bytes)) + "\"";
}

// What the parser itself lets pass.
class Strict {
 public:
  bool operator()(int depth, nlohmann::detail::parse_event_t event, const Json& parsed) {
    using Event = nlohmann::detail::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= greatest_depth) fail("It nests deeper than anything that is read here.");
    }
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end && !names_.empty()) names_.pop_back();
    if (event == Event::key && !names_.empty()) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!names_.back().insert(name).second) fail("The member " + shown(name) + " stands twice.");
    }
    return !error_.has_value();
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  void fail(std::string sentence) {
    if (!error_.has_value()) error_ = bad_json(std::move(sentence));
  }

  std::vector<std::set<std::string>> names_;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> parse_object(std::string_view body) {
  Strict strict;
  Json document = Json::parse(
      body,
      [&strict](int depth, nlohmann::detail::parse_event_t event, Json& parsed) {
        return strict(depth, event, parsed);
      },
      false);
  if (strict.error().has_value()) return *strict.error();
  if (!document.is_object()) return bad_json("The body must be one JSON object, in UTF-8.");
  return document;
}

Reader::Reader(const Json& object, std::string what) : object_(object), what_(std::move(what)) {
  if (!object.is_object()) fail(bad_json(what_ + " must be a JSON object."));
}

const Json* Reader::find(std::string_view name) {
  if (error_.has_value()) return nullptr;
  known_.push_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

void Reader::need(std::string_view name) {
  if (error_.has_value() || has(name)) return;
  fail(bad_json("The member " + shown(name) + " of " + what_ + " is missing."));
}

bool Reader::has(std::string_view name) const {
  return object_.is_object() && object_.contains(name);
}

void Reader::wrong(std::string_view name, std::string_view should_be) {
  fail(bad_json("The member " + shown(name) + " of " + what_ + " must be " +
                std::string(should_be) + "."));
}

void Reader::fail(Error error) {
  if (!error_.has_value()) error_ = std::move(error);
}

void Reader::text(std::string_view name, std::string& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_string()) return wrong(name, "a text");
  value = found->get_ref<const std::string&>();
}

void Reader::optional_text(std::string_view name, std::optional<std::string>& value) {
  const Json* found = find(name);
  if (found == nullptr || found->is_null()) return;
  if (!found->is_string()) return wrong(name, "a text or null");
  value = found->get_ref<const std::string&>();
}

void Reader::texts(std::string_view name, std::vector<std::string>& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_array()) return wrong(name, "a list of texts");
  value.clear();
  for (const Json& item : *found) {
    if (!item.is_string()) return wrong(name, "a list of texts");
    value.push_back(item.get_ref<const std::string&>());
  }
}

void Reader::flag(std::string_view name, bool& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_boolean()) return wrong(name, "true or false");
  value = found->get<bool>();
}

bool Reader::read_natural(std::string_view name, std::uint64_t greatest, std::uint64_t& value) {
  const Json* found = find(name);
  if (found == nullptr) return false;
  const auto* number = found->get_ptr<const Json::number_unsigned_t*>();
  if (number == nullptr || *number > greatest) {
    wrong(name, "a whole number from 0 to " + std::to_string(greatest));
    return false;
  }
  value = *number;
  return true;
}

void Reader::natural(std::string_view name, std::uint64_t& value) {
  read_natural(name, std::numeric_limits<std::uint64_t>::max(), value);
}

void Reader::natural(std::string_view name, std::int64_t& value) {
  std::uint64_t number = 0;
  const auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (read_natural(name, greatest, number)) value = static_cast<std::int64_t>(number);
}

void Reader::natural(std::string_view name, int& value) {
  std::uint64_t number = 0;
  const auto greatest = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  if (read_natural(name, greatest, number)) value = static_cast<int>(number);
}

void Reader::duration(std::string_view name, Milliseconds& value) {
  // A hundred years: whoever adds it to a clock's time gets a time.
  constexpr std::uint64_t greatest_ms = 100ULL * 365 * 24 * 3600 * 1000;
  std::uint64_t number = 0;
  if (read_natural(name, greatest_ms, number)) value = Milliseconds(number);
}

void Reader::timeout(std::string_view name, Milliseconds& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (*found != "inf") return duration(name, value);
  value = wait_for_ever;
}

bool Reader::nothing_at(std::string_view name) {
  const Json* found = find(name);
  return found == nullptr || found->is_null();
}

void Reader::optional_natural(std::string_view name, std::optional<int>& value) {
  if (nothing_at(name)) return;
  natural(name, value.emplace());
}

void Reader::optional_duration(std::string_view name, std::optional<Milliseconds>& value) {
  if (nothing_at(name)) return;
  duration(name, value.emplace());
}

void Reader::time(std::string_view name, std::chrono::system_clock::time_point& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  const auto* written = found->get_ptr<const std::string*>();
  const auto read = written == nullptr ? std::nullopt : core::read_utc_text(*written);
  if (!read.has_value()) return wrong(name, "a time like \"2023-05-01T08:30:00.000Z\"");
  value = *read;
}

void Reader::optional_time(std::string_view name,
                           std::optional<std::chrono::system_clock::time_point>& value) {
  if (nothing_at(name)) return;
  time(name, value.emplace());
}

void Reader::token(std::string_view name, FencingToken& value) {
  const Json* found = find(name);
  if (found == nullptr) return;
  const auto* written = found->get_ptr<const std::string*>();
  if (written == nullptr) return wrong(name, "a token, as the lock's answer gave it");
  const Result<FencingToken> read = FencingToken::parse(*written);
  if (!read) return wrong(name, "a token, as the lock's answer gave it");
  value = *read;
}

void Reader::mode(std::string_view name, LockMode& value) {
  word(name, {name_of(LockMode::exclusive), name_of(LockMode::shared)},
       [&](std::size_t index) { value = index == 0 ? LockMode::exclusive : LockMode::shared; });
}

void Reader::word(std::string_view name, const std::vector<std::string_view>& words,
                  const std::function<void(std::size_t)>& chosen) {
  const Json* found = find(name);
  if (found == nullptr) return;
  std::string all;
  for (std::size_t index = 0; index < words.size(); ++index) {
    if (*found == words[index]) return chosen(index);
    all += (index == 0                  ? "\""
            : index + 1 == words.size() ? " or \""
                                        : ", \"") +
           std::string(words[index]) + "\"";
  }
  wrong(name, all);
}

void Reader::object(std::string_view name, std::string what,
                    const std::function<void(Reader&)>& read) {
  const Json* found = find(name);
  if (found == nullptr || found->is_null()) return;
  Reader inner(*found, std::move(what));
  read(inner);
  Result<void> finished = inner.finish();
  if (!finished) fail(std::move(finished).error());
}

void Reader::list(std::string_view name, std::string what,
                  const std::function<void(Reader&)>& read) {
  const Json* found = find(name);
  if (found == nullptr) return;
  if (!found->is_array()) return wrong(name, "a list");
  for (const Json& item : *found) {
    Reader inner(item, what);
    read(inner);
    Result<void> finished = inner.finish();
    if (!finished) return fail(std::move(finished).error());
  }
}

Result<void> Reader::finish() {
  if (error_.has_value()) return *error_;
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string_view near = suggest(name, known_);
    return bad_json("The member " + shown(name) + " of " + what_ + " is not known" +
                    (near.empty() ? "." : "; did you mean \"" + std::string(near) + "\"?"));
  }
  return {};
}

}  // namespace locker::lockd
