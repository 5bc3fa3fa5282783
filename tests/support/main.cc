#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

// What the sanitizers are told of the C client: what is in flight when it is closed, it never
// frees; and all handles write the text of a server's address, for the log, into one buffer.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libzookeeper_mt";
}
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libzookeeper_mt";
}
