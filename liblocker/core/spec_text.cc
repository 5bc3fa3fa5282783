// The two text forms of a PartitionSpec. What people write is read kindly where only one meaning is
// possible (any spelling of an escape, characters that need none), and refused where a slip of the
// hand would lock something else than was meant: control characters (a `\r` from a Windows file),
// names with blanks at their ends, a slash form given as a word.
#include <algorithm>
#include <optional>

#include <locker/partition_spec.h>

#include "core/caret.h"
#include "core/path_codec.h"
#include "core/utf8.h"

namespace locker {
namespace {

constexpr std::string_view forms = "write db.table or db.table/column=value";

// A part of the text and where it begins.
struct Piece {
  std::string_view text;
  std::size_t offset = 0;
};

// Reads one of the forms out of the whole text, for which errors carry a caret.
class SpecReader {
 public:
  SpecReader(std::string_view text, bool escaped) : text_(text), escaped_(escaped) {}

  // Errors that concern the whole text.
  std::optional<Error> check_text() const;
  // Reads `db[.table]`, the first piece.
  std::optional<Error> read_names(Piece piece);
  // Reads `column=value`, a later one.
  std::optional<Error> read_key(Piece piece);

  Error fail(std::size_t offset, std::string_view sentence) const {
    return make_error(Errc::invalid, "bad_spec", core::with_caret(sentence, text_, offset));
  }
  PartitionSpec take() { return std::move(spec_); }

 private:
  std::optional<Error> decode(Piece piece, std::string& out) const;
  std::optional<Error> read_name(Piece piece, std::string_view what, std::string& out) const;
  std::optional<Error> check_spec(std::size_t offset) const;

  std::string_view text_;
  bool escaped_;
  PartitionSpec spec_;
};

std::optional<Error> SpecReader::check_text() const {
  const auto control = std::ranges::find_if(text_, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7F;
  });
  if (control != text_.end()) {
    return fail(static_cast<std::size_t>(control - text_.begin()),
                "There is a control character in the resource; remove it, or escape it in the "
                "slash form (%0A is a line feed).");
  }
  const std::size_t bad = core::find_bad_utf8(text_);
  if (bad != std::string_view::npos) {
    return fail(bad, "The resource is not UTF-8 here; write it in UTF-8.");
  }
  return std::nullopt;
}

std::optional<Error> SpecReader::decode(Piece piece, std::string& out) const {
  if (!escaped_) {
    out = piece.text;
    return std::nullopt;
  }
  core::Unescaped result = core::unescape(piece.text);
  if (result.bad != std::string_view::npos) {
    return fail(piece.offset + result.bad,
                "A % begins an escape of two hex digits in the slash form; write %25 for the "
                "character itself.");
  }
  out = std::move(result.text);
  return std::nullopt;
}

std::optional<Error> SpecReader::read_name(Piece piece, std::string_view what,
                                           std::string& out) const {
  if (piece.text.empty()) {
    return fail(piece.offset,
                "The " + std::string(what) + "'s name is empty; " + std::string(forms) + ".");
  }
  if (piece.text.starts_with(' ') || piece.text.ends_with(' ')) {
    const std::size_t blank = piece.text.starts_with(' ') ? 0 : piece.text.size() - 1;
    return fail(piece.offset + blank,
                "The " + std::string(what) + "'s name has a blank at its end; remove it.");
  }
  return decode(piece, out);
}

std::optional<Error> SpecReader::check_spec(std::size_t offset) const {
  Result<void> checked = spec_.check();
  if (checked) return std::nullopt;
  const Error& error = checked.error();
  return make_error(error.errc, error.code, core::with_caret(error.message, text_, offset));
}

std::optional<Error> SpecReader::read_names(Piece piece) {
  const std::size_t equals = piece.text.find('=');
  if (equals != std::string_view::npos) {
    return fail(piece.offset + equals,
                "There is a column where the table belongs; " + std::string(forms) + ".");
  }
  const std::size_t dot = piece.text.find('.');
  std::string database;
  if (auto error = read_name({piece.text.substr(0, dot), piece.offset}, "database", database)) {
    return error;
  }
  spec_ = PartitionSpec(database);
  if (dot != std::string_view::npos) {
    const Piece rest{piece.text.substr(dot + 1), piece.offset + dot + 1};
    std::string table;
    if (auto error = read_name(rest, "table", table)) return error;
    spec_ = PartitionSpec(database, table);
  }
  return check_spec(piece.offset);
}

std::optional<Error> SpecReader::read_key(Piece piece) {
  if (spec_.table().empty()) {
    return fail(piece.offset,
                "A partition is named without its table; " + std::string(forms) + ".");
  }
  if (piece.text.empty()) {
    return fail(piece.offset, "There is nothing here; write column=value, or remove a slash.");
  }
  const std::size_t equals = piece.text.find('=');
  if (equals == std::string_view::npos) {
    return fail(piece.offset + piece.text.size(),
                "A partition is named by column=value, and here is no =; write column=value.");
  }
  std::string column;
  std::string value;
  if (auto error = read_name({piece.text.substr(0, equals), piece.offset}, "column", column)) {
    return error;
  }
  const Piece rest{piece.text.substr(equals + 1), piece.offset + equals + 1};
  if (auto error = decode(rest, value)) return error;
  spec_.with(column, value);
  return check_spec(piece.offset);
}

std::string_view without_trailing_slash(std::string_view text) {
  return text.substr(0, text.size() - (text.ends_with('/') ? 1 : 0));
}

}  // namespace

Result<PartitionSpec> PartitionSpec::parse(std::string_view text) {
  SpecReader reader(text, true);
  if (auto error = reader.check_text()) return *std::move(error);
  if (text.starts_with('/')) {
    return reader.fail(0, "The resource begins with a slash; " + std::string(forms) + ".");
  }
  const std::string_view whole = without_trailing_slash(text);
  bool first = true;
  for (std::size_t begin = 0; begin <= whole.size();) {
    const std::size_t end = std::min(whole.find('/', begin), whole.size());
    const Piece piece{whole.substr(begin, end - begin), begin};
    auto error = first ? reader.read_names(piece) : reader.read_key(piece);
    if (error) return *std::move(error);
    first = false;
    begin = end + 1;
  }
  return reader.take();
}

Result<PartitionSpec> PartitionSpec::parse_words(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text.push_back(' ');
    text += word;
  }
  SpecReader reader(text, false);
  if (auto error = reader.check_text()) return *std::move(error);
  if (words.empty()) return reader.fail(0, "There is no resource; write DB.TABLE [COLUMN=VALUE…].");
  std::size_t begin = 0;
  for (const std::string& word : words) {
    // Shells complete the name of a partition's directory with a slash.
    const Piece piece{without_trailing_slash(word), begin};
    const bool first = begin == 0;
    const std::size_t slash = first ? piece.text.find('/') : std::string_view::npos;
    if (slash != std::string_view::npos) {
      return reader.fail(slash,
                         "There is a slash in the table's name; write separate words as in "
                         "`db.table column=value`, or give the slash form where it is taken.");
    }
    auto error = first ? reader.read_names(piece) : reader.read_key(piece);
    if (error) return *std::move(error);
    begin += word.size() + 1;
  }
  return reader.take();
}

}  // namespace locker
