#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "lockd/protocol/reader.h"

// The values that several messages have in common. For the sources of this folder.
namespace locker::lockd {

// One compact line; bytes that are not UTF-8 become U+FFFD.
std::string line_of(const Json& document);

Json json_of(const OwnerInfo& owner);
void read_owner(Reader& from, OwnerInfo& owner);
Json json_of(const Contender& contender);
void read_contender(Reader& from, Contender& contender);
Json json_of(const TableColumns& columns);
void read_columns(Reader& from, TableColumns& columns);
Json json_of(const LockSet& members);
Json json_of(const GrantedMember& member);
void read_granted(Reader& from, GrantedMember& member);
// The members of an error, for a problem and for news.
void add_error(Json& to, const Error& error);
void read_error(Reader& from, Error& error);
Json json_of_timeout(Milliseconds timeout);

// Reads a whole body by one function over its members.
Result<void> read_body(std::string_view body, std::string what,
                       const std::function<void(Reader&)>& read);
template <typename T, typename Read>
Result<T> read_whole(std::string_view body, std::string what, Read read) {
  T message{};
  Result<void> done = read_body(body, std::move(what), [&](Reader& from) { read(from, message); });
  if (!done) return done.error();
  return message;
}

}  // namespace locker::lockd
