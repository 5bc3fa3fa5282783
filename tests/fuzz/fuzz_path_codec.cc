// Any name has one spelling that is safe as a component and gives the name back; any component is
// that one spelling of its name, or none.
#include "core/path_codec.h"

#include <algorithm>
#include <string>

#include "core/lock_name.h"
#include "core/resource.h"
#include "core/utf8.h"
#include "core/visible_text.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace locker::core;

void check_component(std::string_view component) {
  fuzz::check(component.find('/') == std::string_view::npos);
  fuzz::check(!component.starts_with('.'));
  fuzz::check(!is_reserved_name(component));
  fuzz::check(find_bad_utf8(component) == std::string_view::npos);
  fuzz::check(std::ranges::none_of(component, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7F;
  }));
}

void check_name(const std::string& name) {
  const std::string component = escape_name(name);
  check_component(component);
  fuzz::check(unescape(component).text == name);
  if (!name.empty()) fuzz::check(name_of_component(component) == name);
}

void check_key(const std::string& column, const std::string& value) {
  if (column.empty() || value.empty()) return;
  const std::string component = escape_key(column, value);
  check_component(component);
  const auto key = key_of_component(component);
  fuzz::check(key && key->column == column && key->value == value);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  check_name(text);
  const std::size_t middle = text.find('=');
  if (middle != std::string::npos) check_key(text.substr(0, middle), text.substr(middle + 1));

  // The same bytes taken for a component, and for a whole path, from a store.
  const auto name = name_of_component(text);
  if (name) fuzz::check(escape_name(*name) == text);
  const auto key = key_of_component(text);
  if (key) fuzz::check(escape_key(key->column, key->value) == text);
  const Resource resource = Resource::from_path(text);
  const auto spec = resource.spec();
  if (spec) fuzz::check(spec->path() == text);
  for (const Resource& above : resource.ancestors()) fuzz::check(above.covers(resource));

  const std::string shown = visible_text(text);
  fuzz::check(visible_text(shown) == shown);
  return 0;
}
