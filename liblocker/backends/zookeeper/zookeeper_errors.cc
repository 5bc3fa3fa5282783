#include "backends/zookeeper/zookeeper_errors.h"

#include <zookeeper/zookeeper.h>

#include "core/visible_text.h"

namespace locker::backends::zookeeper {
namespace {

// The server's codes that this version of the header does not name.
constexpr int quota_exceeded = -125;

// A refusal that certainly had no effect: its code is finer than its class.
Error refused_for_now(std::string_view code, const std::string& node, std::string_view why) {
  return make_error(Errc::unavailable, std::string(code),
                    "ZooKeeper did not touch the node " + node + ": " + std::string(why) + ".");
}

Error server_error(int code, const std::string& node) {
  switch (code) {
    case ZNONODE:
      return make_error(Errc::not_found,
                        "There is no node " + node + ", or no parent to make it in.");
    case ZNODEEXISTS:
      return make_error(Errc::conflict, "node_exists", "The node " + node + " exists already.");
    case ZBADVERSION:
      return make_error(Errc::conflict, "bad_version",
                        "The node " + node + " has another version: somebody changed it.");
    case ZNOTEMPTY:
      return make_error(Errc::conflict, "not_empty", "The node " + node + " has children.");
    case ZNOAUTH:
      return make_error(Errc::unauthorized,
                        "The access list of the node " + node +
                            " refuses this identity; give the one that the tree was made with.");
    case ZINVALIDACL:
      return make_error(Errc::unauthorized, "bad_access_list",
                        "ZooKeeper refuses the access list for the node " + node +
                            "; look at the identity and at who shares it.");
    case ZAUTHFAILED:
    case ZSESSIONCLOSEDREQUIRESASLAUTH:
      return make_error(Errc::unauthorized, "ZooKeeper refuses this identity.");
    case ZBADARGUMENTS:
      return make_error(Errc::invalid, "bad_path", "ZooKeeper refuses the path " + node + ".");
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
      return make_error(Errc::lost, "The session at ZooKeeper is over.");
    case ZUNIMPLEMENTED:
      return make_error(Errc::unsupported,
                        "This ZooKeeper server is too old; at least version 3.6 is needed.");
    case ZTHROTTLEDOP:
      return refused_for_now("throttled", node, "the server is throttled");
    case ZNOTREADONLY:
      return refused_for_now("read_only", node, "its server has lost the others");
    case quota_exceeded:
      return refused_for_now("quota_exceeded", node, "a quota is used up; raise it");
    default:
      return make_error(Errc::internal, "ZooKeeper answered " + std::to_string(code) + " (" +
                                            zerror(code) + ") about the node " + node + ".");
  }
}

}  // namespace

// A failure inside the client or the server, in contrast to a refusal, can come behind the effect.
bool is_unknown(int code) {
  switch (code) {
    case ZSYSTEMERROR:
    case ZRUNTIMEINCONSISTENCY:
    case ZDATAINCONSISTENCY:
    case ZCONNECTIONLOSS:
    case ZMARSHALLINGERROR:
    case ZOPERATIONTIMEOUT:
    case ZCLOSING:
    case ZSESSIONMOVED:
      return true;
    default:
      return false;
  }
}

Error error_of(int code, std::string_view path) {
  const std::string node = core::visible_text(path);
  if (!is_unknown(code)) return server_error(code, node);
  return make_error(Errc::unavailable,
                    "ZooKeeper was not reached, so whether the request about the node " + node +
                        " had its effect is unknown (" + zerror(code) + ").");
}

}  // namespace locker::backends::zookeeper
