#include <sys/socket.h>

#include <future>
#include <string>
#include <thread>

#include "tests/support/test.h"
#include "tests/zookeeper/relay/relay_fixture.h"

using namespace locker;
using namespace locker::tests;
using backends::zookeeper::RelayOptions;
using Catch::Matchers::Contains;

namespace {

// More than all buffers on the way take.
constexpr std::size_t large = 12 << 20;

// A server that opens the session, then does what the test says.
FakeServer::Script after_opening(FakeServer::Script then) {
  return [then = std::move(then)](Line& line) {
    if (receive_packet(line).empty() || !line.send(packet("open"))) return;
    then(line);
  };
}

Line open_session(const backends::zookeeper::Relay& relay) {
  Line client = ask(relay);
  REQUIRE(receive_packet(client) == "open");
  return client;
}

}  // namespace

TEST_CASE("what is sent both ways at once arrives whole and in order") {
  const std::string request = noise(large, 1);
  const std::string reply = noise(large, 2);
  std::promise<bool> whole;
  FakeServer server(after_opening([&](Line& line) {
    std::thread sender([&] { line.send(reply); });
    whole.set_value(line.receive(large) == request);
    sender.join();
    line.end();
  }));
  const auto relay = start_relay({server.host()});
  const Line client = open_session(*relay);
  bool sent = false;
  std::thread sender([&] { sent = client.send(request); });
  const bool received = client.receive(large) == reply;
  sender.join();
  CHECK(sent);
  CHECK(received);
  CHECK(whole.get_future().get());
}

TEST_CASE("what a client sends before it is answered follows its first packet") {
  std::promise<void> asked;
  std::promise<void> early;
  std::promise<std::string> rest;
  FakeServer server([&](Line& line) {
    receive_packet(line);
    asked.set_value();
    early.get_future().wait();
    // The relay reads it now, or later with the rest: it comes second in any case.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    line.send(packet("open"));
    std::string words;
    for (int count = 0; count < 3; ++count) words += receive_packet(line);
    rest.set_value(words);
  });
  const auto relay = start_relay({server.host()});
  const Line client = Line::connect(relay->port());
  REQUIRE(client.send(packet("session") + packet("at once, ")));
  asked.get_future().wait();
  REQUIRE(client.send(packet("early, ")));
  early.set_value();
  CHECK(receive_packet(client) == "open");
  REQUIRE(client.send(packet("late")));
  CHECK(rest.get_future().get() == "at once, early, late");
}

TEST_CASE("a first packet in pieces is put together") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay({server.host()});
  const Line client = Line::connect(relay->port());
  for (const char each : packet("session")) REQUIRE(client.send(std::string(1, each)));
  CHECK(receive_packet(client) == "hello");
}

TEST_CASE("a client that sends no more goes on receiving") {
  const std::string reply = noise(large, 3);
  std::promise<std::string> last;
  FakeServer server(after_opening([&](Line& line) {
    last.set_value(line.receive_all());
    line.send(reply);
  }));
  const auto relay = start_relay({server.host()});
  const Line client = open_session(*relay);
  REQUIRE(client.send("last words"));
  client.end_sending();
  CHECK((client.receive_all() == reply));
  CHECK(last.get_future().get() == "last words");
}

TEST_CASE("a server that sends no more goes on receiving") {
  const std::string request = noise(large, 4);
  std::promise<bool> whole;
  FakeServer server(after_opening([&](Line& line) {
    line.send("last words");
    line.end_sending();
    whole.set_value(line.receive_all() == request);
  }));
  const auto relay = start_relay({server.host()});
  Line client = open_session(*relay);
  CHECK(client.receive_all() == "last words");
  REQUIRE(client.send(request));
  client.close();
  CHECK(whole.get_future().get());
}

TEST_CASE("a server's reset is a reset to the client, after what was sent before") {
  FakeServer server(after_opening([](Line& line) {
    line.send("last words");
    receive_packet(line);
    line.reset();
  }));
  const auto relay = start_relay({server.host()});
  const Line client = open_session(*relay);
  CHECK(client.receive(10) == "last words");
  REQUIRE(client.send(packet("do it")));
  CHECK(client.end() == Line::End::reset);
  REQUIRE(relay->last_failure().has_value());
  CHECK_THAT(relay->last_failure()->message,
             Contains("ended the connection (Connection reset by peer)"));
}

TEST_CASE("a client's last words reach the server, whatever it left unread") {
  // With so much unread the system resets the client's connection. The first waits with the client;
  // the second is more than the buffers take, so that something is on the way to the end.
  for (const std::size_t unread : {100 << 10, 48 << 20}) {
    const std::string data = noise(unread, 5);
    std::promise<std::string> last;
    std::promise<bool> undisturbed;
    FakeServer server(after_opening([&](Line& line) {
      bool sent = false;
      std::thread sender([&] { sent = line.send(data); });
      last.set_value(receive_packet(line));
      sender.join();
      // A reset, which may drop what the server has not yet read, would have stopped it.
      undisturbed.set_value(sent && line.end() == Line::End::orderly);
    }));
    const auto relay = start_relay({server.host()});
    {
      Line client = open_session(*relay);
      REQUIRE(client.receive(50 << 10).size() == 50 << 10);
      REQUIRE(client.send(packet("end my session")));
      client.close();
    }
    CHECK(last.get_future().get() == "end my session");
    CHECK(undisturbed.get_future().get());
  }
}

TEST_CASE("a stopped server's connection ends some time after its client's") {
  std::promise<bool> reset;
  FakeServer server(after_opening([&](Line& line) {
    // Reads the end, and does not answer it.
    line.receive_all();
    reset.set_value(line.await_reset());
  }));
  RelayOptions options = relay_to({server.host()});
  options.session_timeout = std::chrono::seconds(1);
  const auto relay = start_relay(options);
  open_session(*relay).close();
  CHECK(reset.get_future().get());
}

TEST_CASE("a client that only listens keeps its connection while the server talks") {
  FakeServer server(after_opening([](Line& line) {
    line.receive_all();
    for (int count = 0; count < 10; ++count) {
      line.send("word");
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
  }));
  RelayOptions options = relay_to({server.host()});
  options.session_timeout = std::chrono::seconds(2);
  const auto relay = start_relay(options);
  const Line client = open_session(*relay);
  client.end_sending();
  CHECK(client.receive_all().size() == 40);
}

TEST_CASE("a relay that ends takes its connections with it") {
  std::promise<Line::End> at_server;
  FakeServer server(after_opening([&](Line& line) { at_server.set_value(line.end()); }));
  FakeServer stopped(silent);
  auto relay = start_relay({server.host()});
  auto searching = start_relay({stopped.host()});
  const Line client = open_session(*relay);
  const Line waiting = ask(*searching);
  relay.reset();
  searching.reset();
  CHECK(client.end() != Line::End::never);
  CHECK(waiting.end() != Line::End::never);
  CHECK(at_server.get_future().get() != Line::End::never);
}

TEST_CASE("many connections go through one relay side by side") {
  FakeServer server(answering("hello"));
  const auto relay = start_relay({server.host()});
  std::vector<Line> clients;
  for (int count = 0; count < 40; ++count) clients.push_back(ask(*relay));
  for (const Line& each : clients) CHECK(receive_packet(each) == "hello");
  for (const Line& each : clients) REQUIRE(each.send(packet("again")));
  for (const Line& each : clients) CHECK(receive_packet(each) == "hello");
}
