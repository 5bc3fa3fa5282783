#include <locker/owner.h>

#include <algorithm>

#include "core/random_id.h"

namespace locker {
namespace {

constexpr std::size_t id_digits = 32;

bool is_id(std::string_view text) {
  return text.size() == id_digits && std::ranges::all_of(text, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

}  // namespace

Owner Owner::create() {
  Owner owner;
  owner.id_ = core::random_id();
  owner.secret_ = core::random_id();
  return owner;
}

const Owner& Owner::this_thread() {
  thread_local const Owner owner = create();
  return owner;
}

Result<Owner> Owner::parse(std::string_view text) {
  const std::string_view id = text.substr(0, std::min(id_digits, text.size()));
  const bool shaped = text.size() == 2 * id_digits + 1 && text[id_digits] == ':';
  if (!shaped || !is_id(id) || !is_id(text.substr(id_digits + 1))) {
    // The text is not repeated: it may hold most of a secret.
    return make_error(Errc::invalid, "bad_owner",
                      "An owner has the form <32 hex digits>:<32 hex digits>, as `locker run` puts "
                      "it into LOCKER_OWNER; unset that variable to be an owner of your own.");
  }
  Owner owner;
  owner.id_ = id;
  owner.secret_ = text.substr(id_digits + 1);
  owner.inherited_ = true;
  return owner;
}

std::string Owner::to_string() const {
  return id_ + ":" + secret_;
}

}  // namespace locker
