#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <string>
#include <thread>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/relay_fixture.h"
#include "tests/zookeeper/relay/tls_server.h"

using namespace locker;
using namespace locker::tests;
using backends::zookeeper::Relay;
using backends::zookeeper::RelayOptions;
using backends::zookeeper::TlsOptions;
using Catch::Matchers::Contains;

namespace {

RelayOptions tls_to(std::vector<core::UrlHost> servers, TlsOptions tls = {}) {
  RelayOptions options = relay_to(std::move(servers));
  if (tls.ca_file.empty()) tls.ca_file = certificate("ca.pem");
  options.tls = tls;
  return options;
}

TlsOptions with_client(const std::string& name) {
  return {"", certificate(name + ".pem"), certificate(name + ".key")};
}

core::UrlHost named(const std::string& name, const FakeServer& server) {
  return {name, server.port()};
}

Error failure_over_tls(TlsServerOptions server_options, TlsOptions tls = {}) {
  FakeServer server(answering_over_tls(server_options, "hello"));
  const auto relay = start_relay(tls_to({named("localhost", server)}, tls));
  failure_of(*relay);
  REQUIRE(relay->last_failure().has_value());
  return *relay->last_failure();
}

// A copy of a file that a test may spoil.
class Copy {
 public:
  explicit Copy(const std::string& name, mode_t mode = 0600)
      : path_(certificate("copy-" + std::to_string(::getpid()) + "-" + name)) {
    replace(name);
    ::chmod(path_.c_str(), mode);
  }
  ~Copy() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }
  void replace(const std::string& name) const {
    std::filesystem::copy_file(certificate(name), path_,
                               std::filesystem::copy_options::overwrite_existing);
  }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("a client of the relay talks to a server through TLS, by name and by address") {
  std::promise<std::string> name;
  FakeServer server(over_tls({}, [&](TlsLine& line) {
    name.set_value(line.called_by());
    line.receive_packet();
    line.send(packet("hello"));
    line.receive_all();
  }));
  const auto by_name = start_relay(tls_to({named("localhost", server)}));
  CHECK(answer_of(*by_name) == "hello");
  CHECK(name.get_future().get() == "localhost");
  name = {};
  const auto by_address = start_relay(tls_to({server.host()}));
  CHECK(answer_of(*by_address) == "hello");
  CHECK(name.get_future().get().empty());
}

TEST_CASE("a server may show the certificates between its own and the CA's") {
  FakeServer server(answering_over_tls({.certificate = "chained.pem"}, "hello"));
  const auto relay = start_relay(tls_to({server.host()}));
  CHECK(answer_of(*relay) == "hello");
}

TEST_CASE("a server's own certificate may be what is trusted") {
  FakeServer server(answering_over_tls({}, "hello"));
  TlsOptions tls;
  tls.ca_file = certificate("server.pem");
  const auto relay = start_relay(tls_to({server.host()}, tls));
  CHECK(answer_of(*relay) == "hello");
}

TEST_CASE("a certificate of another CA is not trusted") {
  const Error failure = failure_over_tls({.certificate = "other_server.pem"});
  CHECK(failure.errc == Errc::unauthorized);
  CHECK(failure.code == "untrusted_server");
  CHECK_THAT(failure.message, Contains("is not to be trusted (") && Contains("): set the CA"));
}

TEST_CASE("the system's authorities are trusted where none is set") {
  FakeServer server(answering_over_tls({}, "hello"));
  RelayOptions options = relay_to({server.host()});
  options.tls.emplace();
  const auto relay = start_relay(options);
  CHECK_THAT(failure_of(*relay), Contains("is not to be trusted ("));
}

TEST_CASE("a certificate for another host is not trusted, by name or by address") {
  const Error failure = failure_over_tls({.certificate = "wrong_host.pem"});
  CHECK(failure.code == "untrusted_server");
  CHECK_THAT(failure.message,
             Contains("is for another host (DNS:another.example, IP Address:192.0.2.1)"));
  FakeServer server(answering_over_tls({.certificate = "wrong_host.pem"}, "hello"));
  const auto relay = start_relay(tls_to({server.host()}));
  CHECK_THAT(failure_of(*relay), Contains("is for another host"));
}

TEST_CASE("a certificate out of its time is not trusted") {
  const Error expired = failure_over_tls({.certificate = "expired.pem"});
  CHECK(expired.code == "untrusted_server");
  CHECK_THAT(expired.message, Contains("has expired on 20"));
  const Error early = failure_over_tls({.certificate = "early.pem"});
  CHECK(early.code == "untrusted_server");
  CHECK_THAT(early.message, Contains("is not valid before 20"));
}

TEST_CASE("a server that wants a certificate of ours gets it") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    FakeServer server(
        answering_over_tls({.client_ca = "ca.pem", .greatest_version = version}, "hello"));
    const auto relay = start_relay(tls_to({server.host()}, with_client("client")));
    CHECK(answer_of(*relay) == "hello");
  }
}

TEST_CASE("a server that wants a certificate and gets none, or a wrong one, is told as such") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const TlsServerOptions wanting{.client_ca = "ca.pem", .greatest_version = version};
    const Error none = failure_over_tls(wanting);
    CHECK(none.errc == Errc::unauthorized);
    CHECK(none.code == "certificate_refused");
    CHECK_THAT(none.message, Contains("wants a TLS certificate of ours and there is none"));
    for (const char* name : {"other_client", "expired_client"}) {
      const Error wrong = failure_over_tls(wanting, with_client(name));
      CHECK(wrong.errc == Errc::unauthorized);
      CHECK(wrong.code == "certificate_refused");
      CHECK_THAT(wrong.message, Contains("refuses our TLS certificate"));
    }
  }
}

TEST_CASE("TLS older than 1.2 is not spoken") {
  const Error failure =
      failure_over_tls({.least_version = TLS1_VERSION, .greatest_version = TLS1_1_VERSION});
  CHECK(failure.errc == Errc::unavailable);
  CHECK_THAT(failure.message, Contains("does not speak TLS 1.2 or newer"));
}

TEST_CASE("a server that does not speak TLS is told as such") {
  FakeServer hangs_up([](Line& line) { line.receive(4); });
  FakeServer talks([](Line& line) {
    line.receive(4);
    line.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    line.end();
  });
  const StoppedServer stopped;
  RelayOptions options = tls_to({hangs_up.host(), talks.host(), stopped.host()});
  options.dial_timeout = std::chrono::milliseconds(300);
  const auto relay = start_relay(options);
  const std::string failure = failure_of(*relay);
  CHECK_THAT(failure, Contains("hung up during the TLS handshake: is that its plain port?") ||
                          Contains("ended the connection (Connection reset by peer)"));
  CHECK_THAT(failure, Contains("does not answer in TLS: is that its plain port?"));
  CHECK_THAT(failure, Contains("takes connections but does not finish a TLS handshake within 300"));
}

TEST_CASE("one trusted server among others is found") {
  FakeServer untrusted(answering_over_tls({.certificate = "other_server.pem"}, "wrong"));
  FakeServer expired(answering_over_tls({.certificate = "expired.pem"}, "wrong"));
  const StoppedServer stopped;
  FakeServer server(answering_over_tls({}, "hello"));
  const auto relay =
      start_relay(tls_to({untrusted.host(), expired.host(), stopped.host(), server.host()}));
  for (int turn = 0; turn < 6; ++turn) CHECK(answer_of(*relay) == "hello");
}

TEST_CASE("what is sent both ways at once through TLS arrives whole and in order") {
  constexpr std::size_t large = 8 << 20;
  const std::string reply = noise(large, 2);
  const std::string request = noise(large, 1);
  std::promise<bool> whole;
  // OpenSSL's own side can't read and write at once: it echoes, piece by piece.
  FakeServer server(over_tls({}, [&](TlsLine& line) {
    line.receive_packet();
    line.send(packet("open"));
    std::string received;
    for (std::size_t done = 0; done < large; done += 65536) {
      received += line.receive(65536);
      line.send(reply.substr(done, 65536));
    }
    whole.set_value(received == request);
    line.receive_all();
  }));
  const auto relay = start_relay(tls_to({server.host()}));
  const Line client = ask(*relay);
  REQUIRE(receive_packet(client) == "open");
  std::thread sender([&] { client.send(request); });
  const bool received = client.receive(large) == reply;
  sender.join();
  CHECK(received);
  CHECK(whole.get_future().get());
}

TEST_CASE("an end of sending is told in TLS, both ways") {
  const std::string reply = noise(4 << 20, 3);
  std::promise<bool> told;
  FakeServer server(over_tls({}, [&](TlsLine& line) {
    line.receive_packet();
    line.send(packet("open"));
    const bool whole = line.receive_all() == "last words";
    told.set_value(whole && line.was_told_the_end());
    line.send(reply);
    line.end_sending();
  }));
  const auto relay = start_relay(tls_to({server.host()}));
  const Line client = ask(*relay);
  REQUIRE(receive_packet(client) == "open");
  REQUIRE(client.send("last words"));
  client.end_sending();
  CHECK((client.receive(reply.size()) == reply));
  CHECK(client.end() == Line::End::orderly);
  CHECK(told.get_future().get());
}

TEST_CASE("a TLS connection that is cut is no orderly end") {
  FakeServer server(over_tls({}, [&](TlsLine& line) {
    line.receive_packet();
    line.send(packet("open"));
  }));
  const auto relay = start_relay(tls_to({server.host()}));
  const Line client = ask(*relay);
  REQUIRE(receive_packet(client) == "open");
  CHECK(client.end() == Line::End::reset);
}

TEST_CASE("certificates that are renewed are used from the next connection on") {
  FakeServer server(answering_over_tls({.client_ca = "ca.pem"}, "hello"));
  const Copy client("expired_client.pem");
  const Copy key("expired_client.key");
  const auto relay = start_relay(tls_to({server.host()}, {"", client.path(), key.path()}));
  CHECK_THAT(failure_of(*relay), Contains("refuses our TLS certificate"));
  client.replace("client.pem");
  // Half of a change: the old pair stays in use, and the failure says what is wrong.
  const std::string half = failure_of(*relay);
  CHECK_THAT(half, Contains("refuses our TLS certificate"));
  CHECK_THAT(half, Contains("besides, the TLS key " + key.path() + " does not belong"));
  key.replace("client.key");
  CHECK(answer_of(*relay) == "hello");
}

TEST_CASE("TLS files that can't be used are told at the start") {
  const auto refused = [](TlsOptions tls) {
    const auto relay = Relay::start(tls_to({{"localhost", 1}}, tls));
    REQUIRE_FALSE(relay);
    return relay.error();
  };
  const std::string client = certificate("client.pem");
  CHECK_THAT(refused({"/nowhere/ca.pem", "", ""}).message,
             Contains("/nowhere/ca.pem cannot be read (No such file or directory)"));
  CHECK_THAT(refused({certificate("client.key"), "", ""}).message,
             Contains("holds no whole PEM certificate"));
  const Copy keyless("client.pem");
  CHECK_THAT(refused({"", client, keyless.path()}).message, Contains("holds no PEM key"));
  CHECK_THAT(refused({"", keyless.path(), ""}).message, Contains("holds no PEM key"));
  CHECK_THAT(refused({"", client, certificate("locked.key")}).message,
             Contains("has a passphrase"));
  CHECK_THAT(refused({"", client, certificate("other_client.key")}).message,
             Contains("does not belong to the certificate " + client));
  CHECK_THAT(refused({"", "", certificate("client.key")}).message,
             Contains("no certificate to it"));
  CHECK(refused({"", client, certificate("locked.key")}).errc == Errc::config);
}

TEST_CASE("a key that everybody may read is refused, one that a group may read is not") {
  const std::string client = certificate("client.pem");
  const Copy open("client.key", 0604);
  const auto refused = Relay::start(tls_to({{"localhost", 1}}, {"", client, open.path()}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().errc == Errc::unauthorized);
  CHECK(refused.error().code == "key_is_public");
  CHECK_THAT(refused.error().message, Contains("chmod o= " + open.path()));
  const Copy shared("client.key", 0640);
  CHECK(Relay::start(tls_to({{"localhost", 1}}, {"", client, shared.path()})));
}

TEST_CASE("key and certificate may stand in one file") {
  FakeServer server(answering_over_tls({.client_ca = "ca.pem"}, "hello"));
  const auto relay = start_relay(tls_to({server.host()}, {"", certificate("server.pem"), ""}));
  CHECK(answer_of(*relay) == "hello");
}
