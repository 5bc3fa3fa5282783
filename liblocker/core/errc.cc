#include <array>
#include <cstddef>

#include <locker/errc.h>

namespace locker {
namespace {

// A switch and not a list, so that the compiler names the class that has no row.
constexpr ErrcRow make_row(Errc errc) {
  switch (errc) {
    case Errc::invalid:
      return {errc, "invalid", "fix the input", 400, 64};
    case Errc::timeout:
      return {errc, "timeout", "try later", 423, 75};
    case Errc::conflict:
      return {errc, "conflict", "look at what the other did, then decide anew", 409, 75};
    case Errc::deadlock:
      return {errc, "deadlock", "let go of what you hold, then start again", 409, 76};
    case Errc::lost:
      return {errc, "lost", "stop writing", 410, 80};
    case Errc::aborted:
      return {errc, "aborted", "begin a new transaction", 410, 80};
    case Errc::fenced:
      return {errc, "fenced", "stop writing, the token is old", 412, 80};
    case Errc::mismatch:
      return {errc, "mismatch", "use a version that knows this layout", 412, 78};
    case Errc::refused:
      return {errc, "refused", "see what the observer said", 422, 75};
    case Errc::cancelled:
      return {errc, "cancelled", "nothing, the caller left", 0, -1};
    case Errc::unauthorized:
      return {errc, "unauthorized", "get the rights", 403, 77};
    case Errc::not_found:
      return {errc, "not_found", "check the name", 404, 66};
    case Errc::gone:
      return {errc, "gone", "ask for something newer", 410, 66};
    case Errc::too_large:
      return {errc, "too_large", "ask for less at once", 413, 65};
    case Errc::rate_limited:
      return {errc, "rate_limited", "slow down", 429, 75};
    case Errc::unsupported:
      return {errc, "unsupported", "use another backend", 501, 69};
    case Errc::unavailable:
      return {errc, "unavailable", "retry with back-off", 503, 69};
    case Errc::config:
      return {errc, "config", "fix the setting", 0, 78};
    case Errc::internal:
      return {errc, "internal", "report a bug", 500, 70};
  }
  return {Errc::internal, "internal", "report a bug", 500, 70};
}

constexpr std::size_t class_count = static_cast<std::size_t>(Errc::internal) + 1;

constexpr std::array<ErrcRow, class_count> make_table() {
  std::array<ErrcRow, class_count> table{};
  for (std::size_t index = 0; index < class_count; ++index) {
    table[index] = make_row(static_cast<Errc>(index));
  }
  return table;
}

constexpr std::array<ErrcRow, class_count> table = make_table();

}  // namespace

std::span<const ErrcRow> errc_table() {
  return table;
}

const ErrcRow& row_of(Errc errc) {
  const auto index = static_cast<std::size_t>(errc);
  return table[index < class_count ? index : class_count - 1];
}

std::string_view name_of(Errc errc) {
  return row_of(errc).name;
}

int exit_code_of(Errc errc, std::string_view code) {
  constexpr int bad_data = 65;
  constexpr int interrupted = 128 + 2;
  const bool names_data = code == "bad_spec" || code == "unknown_column" ||
                          code == "duplicate_key" || code == "key_too_long";
  if (errc == Errc::invalid && names_data) return bad_data;
  // Who knows the signal that ended the wait says 128 + its number; the rest say as Ctrl-C does.
  if (errc == Errc::cancelled) return interrupted;
  return row_of(errc).exit;
}

}  // namespace locker
