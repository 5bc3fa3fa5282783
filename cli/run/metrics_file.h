#pragma once

#include <chrono>
#include <string>

#include <locker/result.h>

namespace locker::cli {

// The figures of one run, for a Prometheus textfile collector.
struct RunFigures {
  std::string table;             // "ods.user_info"
  std::string result = "error";  // or done, failed, skipped, timeout, lost, cancelled
  int exit_code = 0;
  std::chrono::milliseconds waited{0};
  std::chrono::milliseconds held{0};
  bool lost = false;
};

// The file's text.
std::string metrics_text(const RunFigures& figures, std::chrono::system_clock::time_point now);

// Writes it beside the file and renames it, so that nobody reads half of it. Error: unavailable.
Result<void> write_metrics(const std::string& path, const RunFigures& figures);

}  // namespace locker::cli
