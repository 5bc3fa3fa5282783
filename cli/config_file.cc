#include "cli/config_file.h"

#include <algorithm>
#include <cstddef>

#include <nlohmann/json.hpp>

#include <locker/text.h>

namespace locker::cli {
namespace {

// Keeps the entries of the one object in their order and says what is wrong with anything else.
class EntryReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit EntryReader(std::string_view text) : text_(text) {}

  bool null() override { return refuse("null is no value; leave the key out"); }
  bool boolean(bool value) override { return entry(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return entry(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return entry(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return entry(text); }
  bool string(string_t& value) override { return entry(value); }
  bool binary(binary_t&) override { return refuse("binary values are not JSON"); }
  bool start_object(std::size_t) override {
    if (depth_++ == 0) return true;
    return refuse("the value is an object; settings are flat");
  }
  bool key(string_t& value) override {
    const bool twice = std::any_of(entries_.begin(), entries_.end(),
                                   [&](const ConfigEntry& each) { return each.key == value; });
    key_ = value;
    return twice ? refuse("the key stands there twice") : true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return refuse("a list is no value"); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    problem_ = "this is no JSON at " + place(position);
    return false;
  }

  const std::string& problem() const { return problem_; }
  std::vector<ConfigEntry> take() { return std::move(entries_); }

 private:
  bool entry(std::string value) {
    if (value.find('\0') != std::string::npos) return refuse("there is a NUL in the value");
    if (depth_ == 0) return refuse("the file is not an object, {\"key\": value, …}");
    entries_.push_back({key_, std::move(value)});
    return true;
  }

  bool refuse(const std::string& why) {
    problem_ = depth_ == 0 ? why : "key \"" + visible(key_) + "\": " + why;
    return false;
  }

  std::string place(std::size_t position) const {
    const std::string_view before = text_.substr(0, std::min(position, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
    return "line " + std::to_string(line) + ", column " +
           std::to_string(std::max<std::size_t>(column, 1));
  }

  std::string_view text_;
  int depth_ = 0;
  std::string key_;
  std::string problem_;
  std::vector<ConfigEntry> entries_;
};

}  // namespace

Result<std::vector<ConfigEntry>> parse_config(std::string_view text) {
  if (text.size() > longest_config_bytes) {
    return make_error(Errc::config, "the file is larger than 1 MiB");
  }
  // Whoever reads on in C would read another value.
  if (text.find('\0') != std::string_view::npos) {
    return make_error(Errc::config, "there is a NUL in the file");
  }
  EntryReader reader(text);
  if (!nlohmann::json::sax_parse(text, &reader)) {
    return make_error(Errc::config, reader.problem());
  }
  return reader.take();
}

}  // namespace locker::cli
