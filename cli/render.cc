#include "cli/render.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <regex>

#include <unistd.h>

#include <locker/text.h>

#include "cli/voice.h"

namespace locker::cli {
namespace {

using std::chrono::system_clock;

std::tm local_time(system_clock::time_point time) {
  const std::time_t seconds = system_clock::to_time_t(time);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return parts;
}

// Characters, not bytes: good enough for everything but wide and joining ones.
std::size_t width_of(std::string_view text) {
  const auto starts = [](char each) { return (static_cast<unsigned char>(each) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

}  // namespace

std::string utc_text(system_clock::time_point time) {
  using std::chrono::milliseconds;
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<milliseconds>(time - whole).count();
  const std::time_t seconds = system_clock::to_time_t(whole);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[64];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(rest));
  return std::string(text, length) + fraction;
}

std::string local_text(system_clock::time_point time) {
  const std::tm parts = local_time(time);
  char text[64];
  std::string shown(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S%z", &parts));
  // "+0100" becomes "+01:00".
  if (shown.size() > 2) shown.insert(shown.size() - 2, ":");
  return shown;
}

std::string with_local_times(std::string_view sentence) {
  static const std::regex written(R"(\b(since|at) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z)");
  using Matches = std::regex_iterator<std::string_view::const_iterator>;
  std::string text;
  std::size_t done = 0;
  for (Matches each(sentence.begin(), sentence.end(), written); each != Matches(); ++each) {
    const std::match_results<std::string_view::const_iterator>& match = *each;
    std::tm parts{};
    ::strptime(match[2].str().c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    const auto begin = static_cast<std::size_t>(match.position());
    text += sentence.substr(done, begin - done);
    text += match[1].str() + " " + local_text(system_clock::from_time_t(::timegm(&parts)));
    done = begin + static_cast<std::size_t>(match.length());
  }
  return text + std::string(sentence.substr(done));
}

std::string owner_text(const OwnerInfo& owner) {
  std::string text = owner.user + "@" + owner.host + ", pid " + std::to_string(owner.pid);
  const std::string& program = owner.application.empty() ? owner.command : owner.application;
  if (!program.empty()) text += " (" + program + ")";
  return visible(text);
}

std::string contender_text(const Contender& contender) {
  const std::string mode(name_of(contender.mode));
  const std::string what = contender.holds ? " lock on " : " lock, still waited for, on ";
  return visible(mode + what + contender.resource.to_string() + " by " +
                 owner_text(contender.owner) + ", since " + local_text(contender.since));
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = cell.empty() ? "-" : visible(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::to_string() const {
  std::vector<std::size_t> widths;
  for (const std::string& heading : headings_) widths.push_back(width_of(heading));
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size() && column < widths.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(row[column]));
    }
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      text += cells[column];
      if (column + 1 == cells.size()) break;
      text.append(widths[column] - width_of(cells[column]) + 2, ' ');
    }
    return text;
  };
  const bool colour = colour_wanted();
  std::string text = (colour ? "\033[1m" : "") + line(headings_) + (colour ? "\033[0m" : "") + "\n";
  for (const auto& row : rows_) text += line(row) + "\n";
  return text;
}

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && ::isatty(STDOUT_FILENO) == 1;
}

bool print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return true;
  }
  static bool told = false;
  if (!told) Voice().say("cannot write the answer: " + std::string(std::strerror(errno)));
  told = true;
  return false;
}

}  // namespace locker::cli
