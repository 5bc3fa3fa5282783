// The verbs of a handle: each checks what it is about to send, sends it, and reads the answer.

#include <cstddef>
#include <memory>
#include <utility>

#include "backends/zookeeper/access_rights.h"
#include "backends/zookeeper/client_callbacks.h"
#include "backends/zookeeper/client_link.h"
#include "backends/zookeeper/handle.h"
#include "backends/zookeeper/multi_request.h"
#include "backends/zookeeper/packet_limits.h"
#include "backends/zookeeper/path_rules.h"
#include "backends/zookeeper/zookeeper_errors.h"

namespace locker::backends::zookeeper {
namespace {

Result<void> check_data(const std::string& path, const std::string& data) {
  if (data.size() <= data_limit) return {};
  return make_error(Errc::too_large, "More than 64 KiB of data for the node " + path + ".");
}

// Brings the answer, or the error in its place; `read` makes the value out of a success.
template <typename T, typename Read>
ClientLink::Landing landing_of(const Flight<T>& flight, std::string path, Read read) {
  return [flight, path = std::move(path), read](Answer answer) {
    if (answer.ours) {
      flight.land(*std::move(answer.ours));
    } else if (answer.code != ZOK) {
      flight.land(error_of(answer.code, path));
    } else {
      flight.land(read(std::move(answer)));
    }
  };
}

Result<void> nothing(const Answer& /*answer*/) {
  return {};
}

Stat stat_of(const Answer& answer) {
  return answer.stat;
}

NodeData data_of(Answer answer) {
  return NodeData{std::move(answer.text), answer.stat};
}

Created created_of(Answer answer) {
  return Created{std::move(answer.text), answer.stat};
}

}  // namespace

Flight<Created> Handle::create(std::string path, std::string data, NodeKind kind, Access access) {
  Flight<Created> flight(options_.executor);
  Result<void> checked =
      kind == NodeKind::ephemeral_sequential ? check_sequence_path(path) : check_path(path);
  if (checked) checked = check_data(path, data);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  const AccessVector rights(rights_->entries(access));
  auto request = [&](zhandle_t* client, const void* call) {
    return zoo_acreate2(client, path.c_str(), data.data(), static_cast<int>(data.size()),
                        rights.get(), mode_of(kind), hear_created, call);
  };
  link_->send(request, landing_of(flight, path, created_of));
  return flight;
}

Flight<NodeData> Handle::get(std::string path) {
  Flight<NodeData> flight(options_.executor);
  const Result<void> checked = check_path(path);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  auto request = [&](zhandle_t* client, const void* call) {
    return zoo_awget(client, path.c_str(), nullptr, nullptr, hear_data, call);
  };
  link_->send(request, landing_of(flight, path, data_of));
  return flight;
}

Flight<NodeData> Handle::watch(std::string path, runtime::EventPtr changed) {
  Flight<NodeData> flight(options_.executor);
  const Result<void> checked = check_path(path);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  link_->watch(path, changed, landing_of(flight, path, data_of));
  return flight;
}

Flight<Stat> Handle::exists(std::string path) {
  Flight<Stat> flight(options_.executor);
  const Result<void> checked = check_path(path);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  auto request = [&](zhandle_t* client, const void* call) {
    return zoo_aexists(client, path.c_str(), 0, hear_stat, call);
  };
  link_->send(request, landing_of(flight, path, stat_of));
  return flight;
}

Flight<std::vector<std::string>> Handle::children(std::string path) {
  Flight<std::vector<std::string>> flight(options_.executor);
  const Result<void> checked = check_path(path);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  auto request = [&](zhandle_t* client, const void* call) {
    return zoo_aget_children(client, path.c_str(), 0, hear_names, call);
  };
  auto read = [](Answer answer) { return std::move(answer.names); };
  link_->send(request, landing_of(flight, path, read));
  return flight;
}

Flight<Stat> Handle::set(std::string path, std::string data, std::int32_t version) {
  Flight<Stat> flight(options_.executor);
  Result<void> checked = check_path(path);
  if (checked) checked = check_data(path, data);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  auto request = [&](zhandle_t* client, const void* call) {
    return zoo_aset(client, path.c_str(), data.data(), static_cast<int>(data.size()), version,
                    hear_stat, call);
  };
  link_->send(request, landing_of(flight, path, stat_of));
  return flight;
}

Flight<void> Handle::remove(std::string path, std::int32_t version) {
  Flight<void> flight(options_.executor);
  const Result<void> checked = check_path(path);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  auto request = [&](zhandle_t* client, const void* call) {
    return zoo_adelete(client, path.c_str(), version, hear_done, call);
  };
  link_->send(request, landing_of(flight, path, nothing));
  return flight;
}

Flight<std::vector<OperationAnswer>> Handle::multi(std::vector<Operation> operations) {
  Flight<std::vector<OperationAnswer>> flight(options_.executor);
  if (operations.empty()) {
    flight.land(std::vector<OperationAnswer>());
    return flight;
  }
  const Result<std::shared_ptr<MultiRequest>> made =
      MultiRequest::make(std::move(operations), *rights_);
  if (!made) {
    flight.land(made.error());
    return flight;
  }
  const std::shared_ptr<MultiRequest> multi = *made;
  auto request = [&](zhandle_t* client, const void* call) { return multi->send(client, call); };
  auto land = [flight, multi](const Answer& answer) { flight.land(multi->read(answer)); };
  link_->send(request, land, multi);
  return flight;
}

Flight<void> Handle::sync(std::string path) {
  Flight<void> flight(options_.executor);
  const Result<void> checked = check_path(path);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  auto request = [&](zhandle_t* client, const void* call) {
    return zoo_async(client, path.c_str(), hear_path, call);
  };
  link_->send(request, landing_of(flight, path, nothing));
  return flight;
}

Flight<std::string> Handle::access_list(std::string path) {
  Flight<std::string> flight(options_.executor);
  const Result<void> checked = check_path(path);
  if (!checked) {
    flight.land(checked.error());
    return flight;
  }
  auto request = [&](zhandle_t* client, const void* call) {
    return zoo_aget_acl(client, path.c_str(), hear_access, call);
  };
  auto read = [](Answer answer) { return std::move(answer.text); };
  link_->send(request, landing_of(flight, path, read));
  return flight;
}

}  // namespace locker::backends::zookeeper
