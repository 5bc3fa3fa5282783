#include "backends/zookeeper/handle.h"

#include <set>
#include <string>
#include <vector>

#include "tests/support/test.h"
#include "tests/zookeeper/support.h"

namespace locker::tests {

using backends::zookeeper::CheckOperation;
using backends::zookeeper::Created;
using backends::zookeeper::CreateOperation;
using backends::zookeeper::Flight;
using backends::zookeeper::HandlePtr;
using backends::zookeeper::NodeData;
using backends::zookeeper::NodeKind;
using backends::zookeeper::Operation;
using backends::zookeeper::OperationAnswer;
using backends::zookeeper::RemoveOperation;
using backends::zookeeper::SetOperation;
using backends::zookeeper::Stat;

using Names = std::vector<std::string>;

TEST_CASE("each verb answers what the server says") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  CHECK(handle->session_id() != 0);
  CHECK(handle->timeout() == std::chrono::seconds(10));
  CHECK(handle->in_contact());
  CHECK(!handle->over());
  const std::string folder = host.folder(handle);
  const std::string node = folder + "/node";
  std::string data("with\0zero", 9);

  const Created made = host.answer(handle->create(node, data, NodeKind::ephemeral)).value();
  CHECK(made.path == node);
  CHECK(made.stat.czxid > 0);
  CHECK(made.stat.session == handle->session_id());
  const NodeData got = host.answer(handle->get(node)).value();
  CHECK(got.data == data);
  CHECK(got.stat.czxid == made.stat.czxid);
  const Stat after = host.answer(handle->set(node, "", 0)).value();
  CHECK(after.version == 1);
  CHECK(after.mzxid > after.czxid);
  CHECK(host.answer(handle->get(node)).value().data.empty());
  CHECK(host.answer(handle->exists(node)).value().version == 1);
  CHECK(host.answer(handle->children(folder)).value() == Names{"node"});
  CHECK(host.answer(handle->exists(folder)).value().children == 1);
  host.answer(handle->sync(folder)).value();
  CHECK(host.answer(handle->access_list(node)).value() == "world:anyone=rwcda");
  host.answer(handle->remove(node, 1)).value();
  CHECK(host.answer(handle->exists(node)).error().errc == Errc::not_found);
  CHECK(handle->requests() == 12);
  host.close(handle);
}

TEST_CASE("each refusal of the server has its error") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string folder = host.folder(handle);
  const std::string node = folder + "/node";
  host.answer(handle->create(node, "", NodeKind::persistent)).value();

  CHECK(host.answer(handle->create(node, "", NodeKind::persistent)).error().code == "node_exists");
  CHECK(host.answer(handle->create(folder + "/no/node", "", NodeKind::ephemeral)).error().errc ==
        Errc::not_found);
  CHECK(host.answer(handle->set(node, "", 7)).error().code == "bad_version");
  CHECK(host.answer(handle->remove(node, 7)).error().code == "bad_version");
  CHECK(host.answer(handle->remove(folder)).error().code == "not_empty");
  for (const std::string& missing : {folder + "/a", folder + "/b/c"}) {
    CHECK(host.answer(handle->get(missing)).error().errc == Errc::not_found);
    CHECK(host.answer(handle->children(missing)).error().errc == Errc::not_found);
    CHECK(host.answer(handle->set(missing, "")).error().errc == Errc::not_found);
    CHECK(host.answer(handle->remove(missing)).error().errc == Errc::not_found);
    CHECK(host.answer(handle->access_list(missing)).error().errc == Errc::not_found);
  }
  host.close(handle);
}

TEST_CASE("what the server would not take is never sent") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::uint64_t before = handle->requests();
  const std::string big(64 * 1024 + 1, 'x');
  CHECK(host.answer(handle->create("/big", big, NodeKind::ephemeral)).error().errc ==
        Errc::too_large);
  CHECK(host.answer(handle->set("/big", big)).error().errc == Errc::too_large);
  CHECK(host.answer(handle->get("/" + big)).error().errc == Errc::too_large);
  const std::string most(64 * 1024, 'x');
  const std::vector<Operation> many(9, CreateOperation{"/big", most, NodeKind::ephemeral});
  CHECK(host.answer(handle->multi(many)).error().errc == Errc::too_large);
  const std::vector<Operation> one{CreateOperation{"/big", big, NodeKind::ephemeral}};
  CHECK(host.answer(handle->multi(one)).error().errc == Errc::too_large);
  const std::vector<Operation> container{CreateOperation{"/c", "", NodeKind::container}};
  CHECK(host.answer(handle->multi(container)).error().errc == Errc::invalid);
  const std::vector<Operation> bad{CheckOperation{"/fine"}, RemoveOperation{"/a//b"}};
  CHECK(host.answer(handle->multi(bad)).error().errc == Errc::invalid);
  CHECK(host.answer(handle->get("relative")).error().errc == Errc::invalid);
  CHECK(host.answer(handle->watch("/a/", host.event())).error().errc == Errc::invalid);
  CHECK(host.answer(handle->create("/\x7f", "", NodeKind::ephemeral)).error().code == "bad_path");
  CHECK(handle->requests() == before);
  host.close(handle);
}

TEST_CASE("flights are answered in the order in which they were started") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string folder = host.folder(handle);
  std::vector<Flight<Created>> flights;
  for (int number = 0; number < 200; ++number) {
    flights.push_back(handle->create(folder + "/q-", "", NodeKind::ephemeral_sequential));
  }
  std::int64_t last = 0;
  for (std::size_t number = 0; number < flights.size(); ++number) {
    const Created made = host.answer(flights[number]).value();
    CHECK(made.stat.czxid > last);
    last = made.stat.czxid;
    std::string digits = std::to_string(number);
    digits.insert(0, 10 - digits.size(), '0');
    CHECK(made.path == folder + "/q-" + digits);
  }
  host.close(handle);
}

TEST_CASE("a multi is all or nothing") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string folder = host.folder(handle);
  const std::string held = folder + "/held";
  host.answer(handle->create(held, "0", NodeKind::ephemeral)).value();

  const std::vector<Operation> good{
      CheckOperation{held}, SetOperation{held, "1", 0},
      CreateOperation{folder + "/q-", "data", NodeKind::ephemeral_sequential},
      CreateOperation{folder + "/plain", "data", NodeKind::persistent}, CheckOperation{held, 1}};
  const auto answers = host.answer(handle->multi(good)).value();
  REQUIRE(answers.size() == good.size());
  CHECK(answers[1].stat.version == 1);
  CHECK(answers[2].path == folder + "/q-0000000001");
  CHECK(answers[3].path == folder + "/plain");
  CHECK(host.answer(handle->get(answers[2].path)).value().data == "data");

  const std::vector<Operation> late{RemoveOperation{folder + "/plain"}, SetOperation{held, "2"},
                                    CreateOperation{held, "", NodeKind::ephemeral},
                                    RemoveOperation{folder + "/missing"}};
  const Error error = host.answer(handle->multi(late)).error();
  CHECK(error.code == "node_exists");
  CHECK(error.message.find(held) != std::string::npos);
  CHECK(host.answer(handle->exists(folder + "/plain")).value().version == 0);
  CHECK(host.answer(handle->get(held)).value().data == "1");

  const std::vector<Operation> fenced{CheckOperation{folder + "/gone"}, SetOperation{held, "3"}};
  CHECK(host.answer(handle->multi(fenced)).error().errc == Errc::not_found);
  CHECK(host.answer(handle->get(held)).value().data == "1");
  CHECK(host.answer(handle->multi({})).value().empty());
  host.close(handle);
}

TEST_CASE("a container is made alone") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  const std::string folder = host.folder(handle);
  const Created made = host.answer(handle->create(folder + "/c", "", NodeKind::container)).value();
  CHECK(made.path == folder + "/c");
  host.answer(handle->create(folder + "/c/child", "", NodeKind::ephemeral)).value();
  host.close(handle);
}

TEST_CASE("closing answers every flight") {
  ZookeeperHost host;
  const HandlePtr handle = host.connect();
  std::vector<Flight<Stat>> flights;
  for (int number = 0; number < 10000; ++number) flights.push_back(handle->exists("/"));
  host.close(handle);
  std::size_t answered = 0;
  for (Flight<Stat>& flight : flights) {
    const Result<Stat> result = host.answer(flight);
    CHECK((result || result.error().errc == Errc::lost));
    ++answered;
  }
  CHECK(answered == 10000);
  CHECK(host.answer(handle->exists("/")).error().errc == Errc::lost);
  CHECK(handle->over()->errc == Errc::lost);
  host.close(handle);
}

TEST_CASE("without a server connecting ends by the deadline") {
  ZookeeperHost host;
  auto options = host.options();
  options.servers = "127.0.0.1:1";
  const HandlePtr handle = backends::zookeeper::Handle::start(options).value();
  const Result<void> result = host.connected(handle, std::chrono::milliseconds(300));
  REQUIRE(!result);
  CHECK(result.error().errc == Errc::unavailable);
  CHECK(result.error().code == "unavailable");
  CHECK(result.error().message.find("127.0.0.1:1") != std::string::npos);
  CHECK(result.error().message.find("refused") != std::string::npos);
  host.close(handle);
}

}  // namespace locker::tests
