#pragma once

#include <string>
#include <string_view>

#include <locker/result.h>

namespace locker {

// Who holds: locks of one owner never conflict with each other, and an owner that asks again for
// what it holds is counted. A plain value; use it from any thread, with one *waiting* request at a
// time.
class Owner {
 public:
  // A new owner, different from every other. Its id and secret are 128 random bits each.
  static Owner create();

  // The calling thread's owner: what a blocking call without an owner uses.
  static const Owner& this_thread();

  // The owner that `locker run` handed to its child in LOCKER_OWNER, written by to_string.
  // A child with it *is* its parent's owner and does not wait for its parent.
  // Error: invalid.
  static Result<Owner> parse(std::string_view text);

  const std::string& id() const { return id_; }          // 32 hex digits, public
  const std::string& secret() const { return secret_; }  // 32 hex digits, shown to nobody else

  // Whether it came from another process, by parse.
  bool inherited() const { return inherited_; }

  // `<id>:<secret>`, for the environment of a child process and for nothing else.
  std::string to_string() const;

  friend bool operator==(const Owner& left, const Owner& right) { return left.id_ == right.id_; }

 private:
  std::string id_;
  std::string secret_;
  bool inherited_ = false;
};

}  // namespace locker
