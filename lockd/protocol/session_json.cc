#include <array>

#include <nlohmann/json.hpp>

#include "lockd/protocol/json.h"
#include "lockd/protocol/values.h"

namespace locker::lockd {
namespace {

using lockd::json_of;

constexpr std::array kinds = {SessionKind::lease, SessionKind::connection, SessionKind::process};

void read_kind(Reader& from, SessionKind& kind) {
  from.word("kind", {name_of(kinds[0]), name_of(kinds[1]), name_of(kinds[2])},
            [&](std::size_t index) { kind = kinds[index]; });
}

Json json_of(const News& news) {
  Json to = Json::object();
  to["sequence"] = news.sequence;
  to["kind"] = news.kind == News::Kind::lost ? "lost" : "waiting";
  to["request"] = news.request;
  if (news.kind == News::Kind::lost) {
    to["lock"] = news.lock;
    Json error = Json::object();
    add_error(error, news.error);
    to["error"] = std::move(error);
    return to;
  }
  to["place"] = news.waiting.place;
  Json holders = Json::array();
  for (const Contender& holder : news.waiting.holders) holders.push_back(json_of(holder));
  to["holders"] = std::move(holders);
  return to;
}

void read_news(Reader& from, News& news) {
  from.natural("sequence", news.sequence);
  from.word("kind", {"waiting", "lost"}, [&](std::size_t index) {
    news.kind = index == 0 ? News::Kind::waiting : News::Kind::lost;
  });
  from.text("request", news.request);
  from.text("lock", news.lock);
  from.object("error", "an error", [&](Reader& inner) { read_error(inner, news.error); });
  from.natural("place", news.waiting.place);
  from.list("holders", "a holder",
            [&](Reader& inner) { read_contender(inner, news.waiting.holders.emplace_back()); });
}

}  // namespace

std::string_view name_of(SessionKind kind) {
  switch (kind) {
    case SessionKind::lease:
      return "lease";
    case SessionKind::connection:
      return "connection";
    case SessionKind::process:
      return "process";
  }
  return "lease";
}

std::string to_json(const OpenSession& message) {
  Json to = Json::object();
  to["kind"] = name_of(message.kind);
  to["lease_ms"] = message.lease.count();
  to["client"] = json_of(message.client);
  if (message.pid > 0) to["pid"] = message.pid;
  return line_of(to);
}

Result<OpenSession> read_open_session(std::string_view body) {
  return read_whole<OpenSession>(body, "a session", [](Reader& from, OpenSession& message) {
    read_kind(from, message.kind);
    from.duration("lease_ms", message.lease);
    from.object("client", "a client", [&](Reader& inner) { read_owner(inner, message.client); });
    from.natural("pid", message.pid);
  });
}

std::string to_json(const OpenedSession& message) {
  Json to = Json::object();
  to["id"] = message.id;
  to["kind"] = name_of(message.kind);
  to["lease_ms"] = message.lease.count();
  if (!message.owner.empty()) to["owner"] = message.owner;
  to["stopping_time_ms"] = message.stopping_time.count();
  return line_of(to);
}

Result<OpenedSession> read_opened_session(std::string_view body) {
  return read_whole<OpenedSession>(body, "a session", [](Reader& from, OpenedSession& message) {
    from.need("id");
    from.text("id", message.id);
    read_kind(from, message.kind);
    from.duration("lease_ms", message.lease);
    from.text("owner", message.owner);
    from.duration("stopping_time_ms", message.stopping_time);
  });
}

std::string to_json(const Renew& message) {
  Json to = Json::object();
  to["wait_ms"] = message.wait.count();
  to["seen"] = message.seen;
  return line_of(to);
}

Result<Renew> read_renew(std::string_view body) {
  return read_whole<Renew>(body, "a renewal", [](Reader& from, Renew& message) {
    from.duration("wait_ms", message.wait);
    from.natural("seen", message.seen);
  });
}

std::string to_json(const Renewed& message) {
  Json to = Json::object();
  to["lease_ms"] = message.lease.count();
  to["valid_for_ms"] = message.valid_for.count();
  Json news = Json::array();
  for (const News& item : message.news) news.push_back(json_of(item));
  to["news"] = std::move(news);
  return line_of(to);
}

Result<Renewed> read_renewed(std::string_view body) {
  return read_whole<Renewed>(body, "a renewal", [](Reader& from, Renewed& message) {
    from.need("valid_for_ms");
    from.duration("lease_ms", message.lease);
    from.duration("valid_for_ms", message.valid_for);
    from.list("news", "news",
              [&](Reader& inner) { read_news(inner, message.news.emplace_back()); });
  });
}

}  // namespace locker::lockd
