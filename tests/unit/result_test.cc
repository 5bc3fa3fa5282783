#include <locker/result.h>

#include <memory>
#include <string>

#include "tests/support/test.h"

using locker::Errc;
using locker::Error;
using locker::make_error;
using locker::Result;

TEST_CASE("an error without a finer word has its class's name as code") {
  const Error plain = make_error(Errc::timeout, "It took too long.");
  CHECK(plain.errc == Errc::timeout);
  CHECK(plain.code == "timeout");
  CHECK(plain.message == "It took too long.");
  CHECK(plain.detail == nullptr);
  const Error fine = make_error(Errc::invalid, "bad_spec", "No table.");
  CHECK(fine.errc == Errc::invalid);
  CHECK(fine.code == "bad_spec");
}

TEST_CASE("a result is its value or its error") {
  Result<std::string> value(std::string("yes"));
  REQUIRE(value);
  CHECK(*value == "yes");
  CHECK(value->size() == 3);
  Result<std::string> error(make_error(Errc::lost, "Gone."));
  REQUIRE_FALSE(error);
  CHECK(error.error().errc == Errc::lost);
}

TEST_CASE("a result gives up what can only be moved") {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = *std::move(result);
  CHECK(*taken == 7);
}

TEST_CASE("a result without a value") {
  const Result<void> fine;
  CHECK(fine.has_value());
  fine.value();
  const Result<void> error(make_error(Errc::internal, "A bug."));
  CHECK_FALSE(error);
  CHECK(error.error().code == "internal");
}
