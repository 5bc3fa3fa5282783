#include "cli/run/once.h"

#include <chrono>

#include <unistd.h>

#include "cli/json_text.h"
#include "cli/render.h"

namespace locker::cli {
namespace {

std::string key_of(const GrantedMember& member) {
  return "done:" + member.resource.path();
}

}  // namespace

OnceRecord::OnceRecord(PartitionLocker& locker, const LockHandle& handle)
    : locker_(locker), handle_(handle) {}

Result<std::optional<std::string>> OnceRecord::done_before() {
  std::string last;
  if (handle_.escalated()) {
    return make_error(Errc::too_large,
                      "so many partitions are locked as whole tables, of which nobody can say that "
                      "they are done; use fewer in one run with --once");
  }
  for (const GrantedMember& member : handle_.members()) {
    const std::string key = key_of(member);
    Result<std::optional<std::string>> found = locker_.recorded(key);
    if (!found) return std::move(found).error();
    if (!*found) return std::optional<std::string>();
    last = member.resource.to_string() + " is done already, at " + json_member(**found, "at") +
           " by " + json_member(**found, "host") + " pid " + json_member(**found, "pid");
  }
  return std::optional<std::string>(last);
}

Result<void> OnceRecord::record(const std::string& command) {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  for (const GrantedMember& member : handle_.members()) {
    const std::string value = JsonObject()
                                  .text("at", utc_text(std::chrono::system_clock::now()))
                                  .text("host", host)
                                  .number("pid", ::getpid())
                                  .text("command", command)
                                  .text("token", member.token.to_string())
                                  .take();
    const std::string key = key_of(member);
    Result<void> written = locker_.record(handle_, key, value);
    if (!written) return written;
  }
  return {};
}

}  // namespace locker::cli
