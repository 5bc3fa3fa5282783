// Holds one partition while it is written; hello [URL]
#include <cstdio>

#include <locker/partition_locker.h>

int fail(const locker::Error& error) {
  return std::puts(error.message.c_str()), locker::exit_code_of(error.errc, error.code);
}

int main(int count, char** words) {
  auto locker = locker::PartitionLocker::open(count > 1 ? words[1] : "local:");
  if (!locker) return fail(locker.error());
  for (const auto& line : locker->warnings()) std::fprintf(stderr, "%s\n", line.c_str());
  const auto day = locker::PartitionSpec("ods", "user_info").with("dt", "20230501");
  const auto lock = locker->lock(day);  // waits, at most five minutes
  if (!lock) return fail(lock.error());
  // Write the partition here, while lock->held(); store the token with it.
  std::printf("%s is ours, token %s\n", day.to_string().c_str(), lock->token().to_string().c_str());
}  // the handle lets go
