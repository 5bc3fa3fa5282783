// Holds one partition while it is written; hello [URL]
#include <cstdio>

#include <locker/partition_locker.h>

int main(int count, char** words) {
  auto locker = locker::PartitionLocker::open(count > 1 ? words[1] : "local:");
  if (!locker) return std::puts(locker.error().message.c_str()), 69;

  const auto day = locker::PartitionSpec("ods", "user_info").with("dt", "20230501");
  const auto lock = locker->lock(day);  // waits, at most five minutes
  if (!lock) return std::puts(lock.error().message.c_str()), 75;

  // Write the partition here, while lock->held(); store the token with it.
  std::printf("%s is ours, token %s\n", day.to_string().c_str(), lock->token().to_string().c_str());
}  // the handle lets go
