#include "lockd/http/answer_text.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace locker::lockd::http {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "";
  }
}

// The time as HTTP writes it; made anew once a second.
const std::string& date_text() {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != second || text.empty()) {
    second = now;
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 40> written{};
    const std::size_t size =
        std::strftime(written.data(), written.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    text.assign(written.data(), size);
  }
  return text;
}

// A value can't end its line, whoever wrote it.
void append_field(std::string_view name, std::string_view value, std::string& text) {
  text += name;
  text += ": ";
  for (const char character : value) {
    text += static_cast<unsigned char>(character) < 0x20 ? ' ' : character;
  }
  text += "\r\n";
}

// The server's own words are ASCII; what a client sent is never among them.
void append_member(std::string_view name, std::string_view value, std::string& json) {
  json += json.empty() ? "{\"" : ",\"";
  json += name;
  json += "\":\"";
  for (const char character : value) {
    if (character == '"' || character == '\\') json += '\\';
    json += character;
  }
  json += '"';
}

}  // namespace

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

Response problem_of(const Refusal& refusal, std::string_view request_id) {
  const bool passes = refusal.status == 408 || refusal.status == 429 || refusal.status == 503;
  Response response;
  response.status = refusal.status;
  response.content_type = "application/problem+json";
  append_member("type", "about:blank", response.body);
  append_member("title", name_of(refusal.errc), response.body);
  response.body += ",\"status\":" + std::to_string(refusal.status);
  append_member("code", refusal.code, response.body);
  append_member("detail", refusal.detail, response.body);
  append_member("retry", passes ? "same" : "never", response.body);
  append_member("request_id", request_id, response.body);
  response.body += "}";
  return response;
}

void append_head(const Response& response, const AnswerFacts& facts, std::string& text) {
  text += "HTTP/1.1 ";
  text += std::to_string(response.status);
  text += ' ';
  text += reason_of(response.status);
  text += "\r\n";
  append_field("Date", date_text(), text);
  if (may_have_body(response.status)) {
    append_field("Content-Type", response.content_type, text);
    if (facts.length) {
      append_field("Content-Length", std::to_string(*facts.length), text);
    } else if (facts.version_1_1) {
      append_field("Transfer-Encoding", "chunked", text);
    }
  }
  append_field("Cache-Control", "no-store", text);
  append_field("X-Content-Type-Options", "nosniff", text);
  append_field("X-Request-Id", facts.request_id, text);
  for (const auto& [name, value] : response.headers) append_field(name, value, text);
  if (!facts.keep_alive) {
    append_field("Connection", "close", text);
  } else if (!facts.version_1_1) {
    append_field("Connection", "keep-alive", text);
  }
  text += "\r\n";
}

}  // namespace locker::lockd::http
