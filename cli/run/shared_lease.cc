#include "cli/run/shared_lease.h"

#include <ctime>
#include <new>

#include <sys/mman.h>

namespace locker::cli {

using std::chrono::milliseconds;

SharedLease::SharedLease() {
  void* memory =
      ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) page_ = new (memory) Page;
}

SharedLease::~SharedLease() {
  if (page_ != nullptr) ::munmap(page_, sizeof(Page));
}

void SharedLease::set_stopping_time(milliseconds before_the_end) {
  page_->stopping_ms.store(before_the_end.count());
}

void SharedLease::put_off(milliseconds until) {
  page_->until_ms.store(until.count());
}

std::optional<LeaseEnd> SharedLease::end() const {
  const std::int64_t until_ms = page_->until_ms.load();
  if (until_ms == none) return std::nullopt;
  return LeaseEnd{milliseconds(until_ms), milliseconds(until_ms - page_->stopping_ms.load())};
}

milliseconds boot_time() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::floor<milliseconds>(std::chrono::seconds(time.tv_sec) +
                                          std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace locker::cli
