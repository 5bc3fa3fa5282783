#include "core/lock_name.h"

#include <limits>

#include "tests/support/test.h"

using namespace locker::core;
using locker::LockMode;

namespace {

const std::string id = "0123456789abcdef0123456789abcdef";

}  // namespace

TEST_CASE("lock names are written and read") {
  CHECK(lock_name_prefix(LockMode::exclusive, id) == "lock_x_" + id + "-lock-");
  struct Expected {
    std::int32_t sequence;
    const char* digits;
  };
  for (const Expected& row :
       {Expected{0, "0000000000"}, Expected{7, "0000000007"}, Expected{2147483647, "2147483647"},
        Expected{-1, "-000000001"}, Expected{-2147483647, "-2147483647"},
        Expected{std::numeric_limits<std::int32_t>::min(), "-2147483648"}}) {
    for (const LockMode mode : {LockMode::exclusive, LockMode::shared}) {
      const LockName name{mode, id, row.sequence};
      CHECK(to_string(name) == lock_name_prefix(mode, id) + row.digits);
      CHECK(parse_lock_name(to_string(name)) == name);
    }
  }
}

TEST_CASE("companion names are written and read") {
  const CompanionName name{LockMode::shared, id};
  CHECK(to_string(name) == "m_s_" + id);
  CHECK(parse_companion_name("m_s_" + id) == name);
  CHECK(parse_companion_name("m_x_" + id)->mode == LockMode::exclusive);
}

TEST_CASE("what is no lock name is none") {
  for (const std::string& bad :
       {std::string(), std::string("lock_"), "lock_y_" + id + "-lock-0000000001",
        "Lock_x_" + id + "-lock-0000000001", "lock_x_" + id + "-lock-1",
        "lock_x_" + id + "-lock-00000000001", "lock_x_" + id + "-lock-000000000a",
        "lock_x_" + id + "-lock-0000000001 ", "lock_x_" + id + "-lock-+000000001",
        "lock_x_" + id + "-lock-2147483648", "lock_x_" + id + "-lock--00000001",
        "lock_x_" + id + "-lock--000000000", std::string("lock_x_-lock-0000000001"),
        std::string("lock_x_abc-lock-0000000001"), "lock_x_" + id + "A-lock-0000000001",
        "lock_x_" + std::string(65, 'a') + "-lock-0000000001", "m_x_" + id}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_lock_name(bad));
  }
  for (const std::string& bad :
       {std::string(), std::string("m_x_"), std::string("m_x_daily"), "m_y_" + id,
        "m_x_" + id + "-", "_m_x_" + id, "lock_x_" + id + "-lock-0000000001"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_companion_name(bad));
  }
  CHECK(is_reserved_name("m_s_" + id));
  CHECK(is_reserved_name("lock_s_" + id + "-lock-0000000001"));
  CHECK_FALSE(is_reserved_name("lock_s_" + id + "-lock-"));
  CHECK_FALSE(is_reserved_name("user_info"));
}

TEST_CASE("sequences keep their order across the wrap") {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  CHECK(sequence_before(1, 2));
  CHECK_FALSE(sequence_before(2, 1));
  CHECK_FALSE(sequence_before(5, 5));
  CHECK(sequence_before(most, least));
  CHECK_FALSE(sequence_before(least, most));
  CHECK(sequence_before(most - 3, least + 3));
  CHECK(sequence_before(-1, 0));
  CHECK(sequence_before(least, 0) == false);
  CHECK(sequence_before(least + 1, 0));
  CHECK_FALSE(sequence_before(0, least));
}
