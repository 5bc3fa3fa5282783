#include "lockd/http/exchange.h"

namespace locker::lockd::http {
namespace {

std::optional<std::string_view> find(const Fields& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> Request::header(std::string_view lower_case_name) const {
  return find(headers, lower_case_name);
}

std::optional<std::string_view> Request::parameter(std::string_view name) const {
  return find(query, name);
}

}  // namespace locker::lockd::http
