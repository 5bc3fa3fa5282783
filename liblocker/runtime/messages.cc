#include "runtime/messages.h"

#include <chrono>
#include <ctime>
#include <utility>

#include "core/duration.h"
#include "core/visible_text.h"

namespace locker::runtime {
namespace {

std::string utc_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

// What connecting took is no news: somebody asked for two seconds, and reads that.
Milliseconds rounded(Milliseconds waited) {
  constexpr Milliseconds step{50};
  return (waited + step - Milliseconds(1)) / step * step;
}

std::string text_of(const LockSet& members) {
  std::string text = members.front().resource.to_string();
  if (members.size() > 1) text += " and " + std::to_string(members.size() - 1) + " more";
  return text;
}

}  // namespace

std::string describe(const Contender& contender) {
  const OwnerInfo& owner = contender.owner;
  std::string text = core::visible_text(owner.user) + "@" + core::visible_text(owner.host) +
                     ", pid " + std::to_string(owner.pid);
  const std::string& program = owner.application.empty() ? owner.command : owner.application;
  if (!program.empty()) text += " (" + core::visible_text(program) + ")";
  return text + ", since " + utc_text(contender.since);
}

Contender contender_of(const StandingTicket& standing) {
  Contender contender;
  contender.request = standing.ticket.request;
  contender.owner = standing.owner;
  contender.session = standing.session;
  if (Result<PartitionSpec> spec = standing.ticket.place.resource.spec()) {
    contender.resource = *std::move(spec);
  }
  contender.mode = standing.ticket.place.mode;
  contender.since = standing.since;
  contender.token = standing.token;
  return contender;
}

Error timeout_error(const LockSet& members, Milliseconds waited, const WaitStatus& seen) {
  std::string text = text_of(members);
  const bool one = members.size() == 1;
  if (waited == Milliseconds::zero()) {
    text += one ? " is locked" : " are locked";
  } else {
    text += one ? " was" : " were";
    text += " not free within " + core::format_duration(rounded(waited));
  }
  if (!seen.holders.empty()) {
    const Contender& holder = seen.holders.front();
    text += ": " + std::string(name_of(holder.mode)) + " lock on " + holder.resource.to_string() +
            " by " + describe(holder);
    if (seen.holders.size() > 1) {
      text += " and " + std::to_string(seen.holders.size() - 1) + " more";
    }
  }
  if (seen.place > 1) text += "; " + std::to_string(seen.place) + " requests were ahead";
  auto detail = std::make_shared<ErrorDetail>();
  detail->holders = seen.holders;
  detail->place = seen.place;
  Error error = make_error(Errc::timeout, std::move(text));
  error.detail = std::move(detail);
  return error;
}

Error deadlock_error(const std::vector<StandingTicket>& cycle) {
  auto detail = std::make_shared<ErrorDetail>();
  std::string text = "this request would wait for ever: it waits for";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    Contender contender = contender_of(cycle[i]);
    if (i + 1 == cycle.size()) {
      text += ", who waits for " + contender.resource.to_string() + ", which the asker holds";
    } else {
      text += (i == 0 ? " " : ", who waits for ") + contender.resource.to_string() + " of " +
              describe(contender);
    }
    detail->holders.push_back(std::move(contender));
  }
  Error error = make_error(Errc::deadlock, text + ": let go of what you hold and start again");
  error.detail = std::move(detail);
  return error;
}

Error ancestor_error(const Contender& holder) {
  Error error = make_error(
      Errc::deadlock, holder.resource.to_string() +
                          " is locked by the process that started this one (" + describe(holder) +
                          "), so the wait would never end: pass LOCKER_OWNER on to share its lock");
  auto detail = std::make_shared<ErrorDetail>();
  detail->holders.push_back(holder);
  error.detail = std::move(detail);
  return error;
}

Error no_answer_error(const std::string& url, Milliseconds waited) {
  return make_error(Errc::unavailable,
                    url + " did not answer within " + core::format_duration(waited) +
                        "; the request is taken back in the background: try again later");
}

}  // namespace locker::runtime
