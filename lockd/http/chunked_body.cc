#include "lockd/http/chunked_body.h"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace locker::lockd::http {
namespace {

namespace beast_http = boost::beast::http;

// The real head was read strictly by framing.h; Beast gets the plainest one with the same body.
constexpr std::string_view plain_head =
    "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
// For trailers, and for a chunk's own line.
constexpr std::uint32_t side_limit_bytes = 8 * 1024;

}  // namespace

struct ChunkedBody::Parser {
  beast_http::request_parser<beast_http::string_body> beast;
};

ChunkedBody::ChunkedBody(std::uint64_t limit_bytes) : parser_(std::make_unique<Parser>()) {
  parser_->beast.body_limit(limit_bytes);
  parser_->beast.header_limit(side_limit_bytes);
  boost::system::error_code error;
  parser_->beast.put(boost::asio::buffer(plain_head), error);
  parser_->beast.eager(true);
}

ChunkedBody::~ChunkedBody() = default;

ChunkedBody::State ChunkedBody::read(std::string_view bytes, std::size_t& taken) {
  boost::system::error_code error;
  taken = 0;
  while (!parser_->beast.is_done()) {
    const std::string_view rest = bytes.substr(taken);
    if (rest.empty()) return State::more;
    const std::size_t used = parser_->beast.put(boost::asio::buffer(rest), error);
    taken += used;
    if (error == beast_http::error::body_limit) return State::too_large;
    if (error && error != beast_http::error::need_more) return State::broken;
    if (used == 0) return rest.size() > side_limit_bytes ? State::broken : State::more;
  }
  return State::done;
}

std::string ChunkedBody::take() {
  return std::move(parser_->beast.get().body());
}

}  // namespace locker::lockd::http
