#include <locker/result.h>

namespace locker {

Error make_error(Errc errc, std::string message) {
  return make_error(errc, std::string(name_of(errc)), std::move(message));
}

Error make_error(Errc errc, std::string code, std::string message) {
  return Error{errc, std::move(code), std::move(message), nullptr};
}

}  // namespace locker
