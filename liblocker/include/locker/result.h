#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <locker/errc.h>

namespace locker {

struct ErrorDetail;  // <locker/listing.h>: the holders of a time-out, the cycle of a deadlock

// One failure: its class, the finer word, and one sentence for a person.
struct Error {
  Errc errc = Errc::internal;
  std::string code;     // e.g. "bad_spec"; the class's name where there is nothing finer
  std::string message;  // one sentence: what happened and what to do
  std::shared_ptr<const ErrorDetail> detail;  // null where there is none
};

// Makes an Error whose code is the name of its class.
Error make_error(Errc errc, std::string message);
// Makes an Error with a finer code.
Error make_error(Errc errc, std::string code, std::string message);

// A value or an Error; the member names are those of std::expected (C++23).
// Reading the side that is not there is a bug of the caller and ends the process.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *checked(std::get_if<0>(&state_)); }
  const T& value() const& { return *checked(std::get_if<0>(&state_)); }
  T&& value() && { return std::move(*checked(std::get_if<0>(&state_))); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return *checked(std::get_if<1>(&state_)); }
  const Error& error() const& { return *checked(std::get_if<1>(&state_)); }
  Error&& error() && { return std::move(*checked(std::get_if<1>(&state_))); }

 private:
  template <typename P>
  static P* checked(P* side) {
    if (side == nullptr) std::abort();
    return side;
  }

  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (error_.has_value()) std::abort();
  }
  // As above; the uncaught exception of an empty optional ends the process.
  Error& error() & { return error_.value(); }
  const Error& error() const& { return error_.value(); }
  Error&& error() && { return std::move(error_).value(); }

 private:
  std::optional<Error> error_;
};

}  // namespace locker
