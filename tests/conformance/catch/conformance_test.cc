#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/conformance/conformance.h"
#include "tests/support/test.h"

namespace {

using locker::conformance::Check;

// A folder for the store of one check, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "conformance-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// One check as a test case.
class CheckCase : public Catch::ITestInvoker {
 public:
  explicit CheckCase(const Check& check) : check_(check) {}

  void invoke() const override {
    const char* url = std::getenv("LOCKER_CONFORMANCE_URL");
    if (url != nullptr) return invoke_on(url);
    const TemporaryFolder folder;
    REQUIRE_FALSE(folder.path().empty());
    invoke_on("local:" + folder.path().string());
  }

 private:
  void invoke_on(const std::string& url) const {
    const locker::conformance::Outcome outcome =
        locker::conformance::run(check_, locker::conformance::settings_for(url));
    for (const std::string& failure : outcome.failures) {
      UNSCOPED_INFO(failure);
    }
    CHECK(outcome.verdict != locker::conformance::Verdict::failed);
    if (outcome.verdict == locker::conformance::Verdict::not_promised) {
      WARN("not promised by this backend: " << locker::conformance::name_of(check_.needs));
    }
  }

  const Check& check_;
};

std::string name_of(const Check& check) {
  const std::string ids(check.ids);
  return ids.empty() ? std::string(check.name) : ids + ": " + std::string(check.name);
}

// Registers every check under its case ids before main reads the command line.
bool register_checks() {
  for (const Check& check : locker::conformance::checks()) {
    const std::string name = name_of(check);
    const Catch::AutoReg registered(new CheckCase(check), CATCH_INTERNAL_LINEINFO,
                                    Catch::StringRef(), Catch::NameAndTags{name, "[conformance]"});
  }
  return true;
}

const bool registered = register_checks();

}  // namespace
