#include "cli/config_file.h"

#include "tests/support/test.h"

using locker::cli::ConfigEntry;
using locker::cli::parse_config;

TEST_CASE("config file: values read as they would be written for a flag") {
  const auto entries =
      parse_config(R"({"a": "x", "b": 3, "c": -2, "d": 1.50, "e": true, "f": false})");
  REQUIRE(entries.has_value());
  std::string all;
  for (const ConfigEntry& entry : *entries) all += entry.key + "=" + entry.value + ";";
  CHECK(all == "a=x;b=3;c=-2;d=1.50;e=true;f=false;");
}

TEST_CASE("config file: what is not one flat object is refused with its place") {
  const auto message = [](std::string_view text) {
    const auto entries = parse_config(text);
    return entries ? std::string("accepted") : entries.error().message;
  };
  CHECK(message("{}") == "accepted");
  CHECK(message("") == "this is no JSON at line 1, column 1");
  CHECK(message("{\n \"a\": 1,\n}") == "this is no JSON at line 3, column 1");
  CHECK(message("[1]") == "a list is no value");
  CHECK(message("true") == "the file is not an object, {\"key\": value, …}");
  CHECK(message(R"({"a": {"b": 1}})") == "key \"a\": the value is an object; settings are flat");
  CHECK(message(R"({"a": [1]})") == "key \"a\": a list is no value");
  CHECK(message(R"({"a": null})") == "key \"a\": null is no value; leave the key out");
  CHECK(message(R"({"a": 1, "a": 2})") == "key \"a\": the key stands there twice");
  CHECK(message("{\"a\\u001b\": null}") == "key \"a\\x1b\": null is no value; leave the key out");
  CHECK(message(std::string(2 << 20, ' ')) == "the file is larger than 1 MiB");
}
