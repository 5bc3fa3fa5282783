#include "core/resource.h"

#include "tests/support/test.h"

using locker::PartitionSpec;
using locker::core::Resource;

namespace {

Resource at(std::string path) {
  return Resource::from_path(std::move(path));
}

}  // namespace

TEST_CASE("a resource is the path of its spec") {
  const PartitionSpec spec = PartitionSpec("ods", "t").with("dt", "a/b");
  const Resource resource(spec);
  CHECK(resource.path() == "/ods/t/dt=a%2Fb");
  CHECK(*resource.spec() == spec);
  CHECK(resource == at("/ods/t/dt=a%2Fb"));
  CHECK(resource.depth() == 3);
  CHECK(resource.table() == at("/ods/t"));
  CHECK_FALSE(resource.empty());
}

TEST_CASE("L21: one resource contains another by whole components") {
  CHECK(at("/ods").covers(at("/ods")));
  CHECK(at("/ods").covers(at("/ods/t/dt=1")));
  CHECK_FALSE(at("/ods/t").covers(at("/ods")));
  CHECK(at("/ods/t").meets(at("/ods")));
  CHECK_FALSE(at("/ods/t").meets(at("/ods/t_1")));
  CHECK_FALSE(at("/ods/t/dt=1").meets(at("/ods/t/dt=10")));
  CHECK_FALSE(Resource().covers(at("/ods")));
  CHECK_FALSE(Resource().meets(Resource()));
}

TEST_CASE("the ancestors of a resource begin with its database") {
  CHECK(at("/ods/t/dt=1/hr=2").ancestors() ==
        std::vector<Resource>{at("/ods"), at("/ods/t"), at("/ods/t/dt=1")});
  CHECK(at("/ods").ancestors().empty());
  CHECK(Resource().ancestors().empty());
}

TEST_CASE("depth and table of every level") {
  CHECK(at("/ods").depth() == 1);
  CHECK(at("/ods").table().empty());
  CHECK(at("/ods/t").depth() == 2);
  CHECK(at("/ods/t").table() == at("/ods/t"));
  CHECK(at("/ods/t/dt=1/hr=2").table() == at("/ods/t"));
  CHECK(Resource().depth() == 0);
  CHECK(Resource().table().empty());
}

TEST_CASE("a path that no resource wrote has no spec") {
  for (const char* path : {"",
                           "/",
                           "ods",
                           "ods/t",
                           "//",
                           "/ods/",
                           "/ods//",
                           "/ods/t/",
                           "/ods/t/dt",
                           "/ods/t/dt=",
                           "/ods/t/=1",
                           "/ods/t/dt=1=2",
                           "/ods/t/dt=%41",
                           "/ods/t/dt=%2f",
                           "/ods/t/dt=%",
                           "/ODS",
                           "/ods/T",
                           "/ods/t/DT=1",
                           "/ods/..",
                           "/ods/.coarse",
                           "/ods/t/dt=1/dt=2",
                           "/ods/t/dt=\n",
                           "/ods/t/dt=%FF",
                           "/\xff"}) {
    CAPTURE(path);
    const auto spec = at(path).spec();
    REQUIRE_FALSE(spec);
    CHECK(spec.error().code == "bad_spec");
  }
  CHECK_FALSE(at("/ods/t/dt=" + std::string(300, 'a')).spec());
}
