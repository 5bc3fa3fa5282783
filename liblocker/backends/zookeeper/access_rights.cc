#include "backends/zookeeper/access_rights.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace locker::backends::zookeeper {
namespace {

Error bad_identity(std::string message) {
  return make_error(Errc::config, "bad_identity", std::move(message));
}

// The text itself may hold a secret by mistake, so it is not repeated.
Result<AccessEntry> parse_entry(const std::string& text, int rights) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
    return bad_identity(
        "An entry of an access list is not of the form digest:user:hash or world:anyone.");
  }
  return AccessEntry{rights, text.substr(0, colon), text.substr(colon + 1)};
}

Result<void> append(const std::vector<std::string>& texts, int rights,
                    std::vector<AccessEntry>& entries) {
  for (const std::string& text : texts) {
    Result<AccessEntry> entry = parse_entry(text, rights);
    if (!entry) return entry.error();
    entries.push_back(*std::move(entry));
  }
  return {};
}

}  // namespace

Result<AccessRights> AccessRights::of(const Identity& identity) {
  AccessRights result;
  if (identity.digest.empty()) {
    result.shared_ = {AccessEntry{ZOO_PERM_ALL, "world", "anyone"}};
    result.own_ = result.shared_;
    return result;
  }
  if (identity.digest.find(':') == std::string::npos) {
    return bad_identity("An identity of the digest scheme is written user:password.");
  }
  // The server puts the creator's identities in the place of this entry.
  const AccessEntry creator{ZOO_PERM_ALL, "auth", ""};
  result.shared_ = {creator};
  result.own_ = {creator};
  if (auto done = append(identity.also, ZOO_PERM_ALL, result.shared_); !done) return done.error();
  if (auto done = append(identity.also, ZOO_PERM_READ, result.own_); !done) return done.error();
  for (std::vector<AccessEntry>* entries : {&result.shared_, &result.own_}) {
    if (auto done = append(identity.readers, ZOO_PERM_READ, *entries); !done) return done.error();
  }
  return result;
}

AccessVector::AccessVector(const std::vector<AccessEntry>& entries) {
  for (const AccessEntry& entry : entries) {
    // The client only reads what it takes as pointers to non-const.
    ::ACL row{};
    row.perms = entry.rights;
    row.id.scheme = const_cast<char*>(entry.scheme.c_str());
    row.id.id = const_cast<char*>(entry.name.c_str());
    entries_.push_back(row);
  }
  vector_.count = static_cast<std::int32_t>(entries_.size());
  vector_.data = entries_.data();
}

std::string to_text(const ::ACL_vector& list) {
  const std::pair<int, char> letters[] = {{ZOO_PERM_READ, 'r'},
                                          {ZOO_PERM_WRITE, 'w'},
                                          {ZOO_PERM_CREATE, 'c'},
                                          {ZOO_PERM_DELETE, 'd'},
                                          {ZOO_PERM_ADMIN, 'a'}};
  std::string text;
  for (std::int32_t index = 0; index < list.count; ++index) {
    const ::ACL& row = list.data[index];
    if (!text.empty()) text += ',';
    text += std::string(row.id.scheme) + ":" + row.id.id + "=";
    for (const auto& [right, letter] : letters) {
      if ((row.perms & right) != 0) text += letter;
    }
  }
  return text;
}

}  // namespace locker::backends::zookeeper
