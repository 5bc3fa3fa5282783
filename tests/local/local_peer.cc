// A process of its own for the tests of local stores: takes commands from standard input, one a
// line, and answers each with one line.
//
//   local_peer DIRECTORY
//
//   session            the session's id
//   lock PATH          waits; "waiting" as soon as it waits, then "granted <position>"
//   unlock             lets go of the last lock: "released"
//   unlock-and-stop    lets go, then stops itself without a word
//   keep               leaves a child that holds a copy of the life descriptor: its pid
//   churn PATH         locks and lets go for ever: "churning"
//   begin              begins a transaction that writes: "begun"; ends it at the next line: "ended"
//   count PATH FILE N  N times, under the lock, adds one to the number in FILE: "counted"
//                      by four threads, each with a backend of its own

#include <csignal>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

#include <unistd.h>

#include "backends/local/database.h"
#include "tests/local/support.h"

using namespace locker;
using namespace locker::tests;

namespace {

constexpr int counting_threads = 4;

void say(const std::string& line) {
  std::cout << line << std::endl;
}

void count(const std::string& directory, const std::string& path, const std::string& file,
           int rounds) {
  Host host(directory);
  const runtime::SessionPtr session = host.session();
  for (int round = 0; round < rounds; ++round) {
    const auto wanted = request({place(path)});
    host.lock(session, wanted).value();
    std::int64_t number = 0;
    std::ifstream(file) >> number;
    std::ofstream(file) << number + 1;
    host.leave(session, wanted);
  }
}

}  // namespace

int main(int, char** arguments) {
  const std::string directory = arguments[1];
  Host host(directory);
  const runtime::SessionPtr session = host.session();
  runtime::RequestPtr held;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    std::string path;
    words >> verb >> path;
    if (verb == "session") {
      say(session->id());
    } else if (verb == "lock") {
      held = request({place(path)});
      const runtime::EventPtr changed = host.event();
      const auto joined = host.run<runtime::Joined>(
          [&] { return take(session, held, changed, [] { say("waiting"); }); });
      say(joined ? "granted " + std::to_string(joined->tickets[0].position)
                 : joined.error().message);
    } else if (verb == "unlock") {
      host.leave(session, held);
      say("released");
    } else if (verb == "unlock-and-stop") {
      host.leave(session, held);
      std::raise(SIGSTOP);
    } else if (verb == "keep") {
      const pid_t child = ::fork();
      if (child == 0) {
        ::close(STDIN_FILENO);
        ::close(STDOUT_FILENO);
        while (true) ::pause();
      }
      say(std::to_string(child));
    } else if (verb == "churn") {
      say("churning");
      while (true) {
        held = request({place(path)});
        host.lock(session, held).value();
        host.leave(session, held);
      }
    } else if (verb == "begin") {
      backends::local::Database database;
      database.open(directory + "/locks.db").value();
      database.begin_writing();
      say("begun");
      std::getline(std::cin, line);
      say(database.commit() ? "ended" : "failed");
    } else if (verb == "count") {
      std::string file;
      int rounds = 0;
      words >> file >> rounds;
      std::vector<std::thread> threads;
      for (int index = 0; index < counting_threads; ++index) {
        threads.emplace_back(count, directory, path, file, rounds);
      }
      for (std::thread& thread : threads) thread.join();
      say("counted");
    }
  }
  host.run<void>([&]() -> runtime::awaitable<Result<void>> { return session->touch(); }).value();
  return 0;
}
