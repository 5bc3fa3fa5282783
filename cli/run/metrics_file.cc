#include "cli/run/metrics_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <locker/text.h>

#include "cli/run/descriptor.h"

namespace locker::cli {
namespace {

std::string label(std::string_view text) {
  std::string escaped;
  for (const char each : visible(text)) {
    if (each == '\\' || each == '"') escaped.push_back('\\');
    escaped.push_back(each);
  }
  return escaped;
}

std::string seconds_text(std::chrono::milliseconds duration) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(duration.count()) / 1000.0);
  return text;
}

void add(std::string& text, const char* name, const char* help, const std::string& labels,
         const std::string& value) {
  text.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
  text.append(name).append(" gauge\n").append(name).append("{").append(labels).append("} ");
  text.append(value).append("\n");
}

Error problem(const std::string& path) {
  return make_error(Errc::unavailable,
                    "cannot write " + visible(path) + ": " + std::strerror(errno));
}

}  // namespace

std::string metrics_text(const RunFigures& figures, std::chrono::system_clock::time_point now) {
  const std::string table = "table=\"" + label(figures.table) + "\"";
  const std::string result = table + ",result=\"" + label(figures.result) + "\"";
  const auto ended = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  std::string text;
  add(text, "locker_run_wait_seconds", "How long the run waited for its lock.", table,
      seconds_text(figures.waited));
  add(text, "locker_run_hold_seconds", "How long the run held its lock.", table,
      seconds_text(figures.held));
  add(text, "locker_run_result", "How the run ended, as a label.", result, "1");
  add(text, "locker_run_lost", "Whether the lock was lost while the command ran.", table,
      figures.lost ? "1" : "0");
  add(text, "locker_run_exit_code", "The exit code of the run.", table,
      std::to_string(figures.exit_code));
  add(text, "locker_run_end_timestamp_seconds", "When the run ended.", table, seconds_text(ended));
  return text;
}

Result<void> write_metrics(const std::string& path, const RunFigures& figures) {
  const std::string text = metrics_text(figures, std::chrono::system_clock::now());
  const std::string beside = path + "." + std::to_string(::getpid()) + ".new";
  const Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.open()) return problem(beside);
  const bool whole =
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (whole && ::rename(beside.c_str(), path.c_str()) == 0) return {};
  const Error error = problem(path);
  ::unlink(beside.c_str());
  return error;
}

}  // namespace locker::cli
