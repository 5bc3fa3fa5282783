#include "backends/zookeeper/multi_request.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "backends/zookeeper/client_callbacks.h"
#include "backends/zookeeper/packet_limits.h"
#include "backends/zookeeper/path_rules.h"
#include "backends/zookeeper/zookeeper_errors.h"

namespace locker::backends::zookeeper {
namespace {

// A sequence has ten digits, and perhaps a sign; the rest is margin, so that a path that was cut
// shows.
constexpr std::size_t path_margin = 32;
// More than the headers of one operation in the packet.
constexpr std::size_t operation_bytes = 64;

struct Size {
  std::size_t total = 0;
  std::size_t data = 0;
};

Result<Size> size_of(const CreateOperation& operation) {
  if (operation.kind == NodeKind::container) {
    return make_error(Errc::invalid, "container_in_multi",
                      "A container can't be made together with other nodes.");
  }
  const Result<void> checked = operation.kind == NodeKind::ephemeral_sequential
                                   ? check_sequence_path(operation.path)
                                   : check_path(operation.path);
  if (!checked) return checked.error();
  return Size{operation.path.size() + operation.data.size(), operation.data.size()};
}

Result<Size> size_of(const RemoveOperation& operation) {
  const Result<void> checked = check_path(operation.path);
  if (!checked) return checked.error();
  return Size{operation.path.size(), 0};
}

Result<Size> size_of(const SetOperation& operation) {
  const Result<void> checked = check_path(operation.path);
  if (!checked) return checked.error();
  return Size{operation.path.size() + operation.data.size(), operation.data.size()};
}

Result<Size> size_of(const CheckOperation& operation) {
  const Result<void> checked = check_path(operation.path);
  if (!checked) return checked.error();
  return Size{operation.path.size(), 0};
}

std::size_t size_of(const std::vector<AccessEntry>& entries) {
  std::size_t size = 0;
  for (const AccessEntry& entry : entries) {
    size += entry.scheme.size() + entry.name.size() + 3 * sizeof(std::int32_t);
  }
  return size;
}

std::size_t access_bytes(const Operation& operation, const AccessRights& rights) {
  const auto* create = std::get_if<CreateOperation>(&operation);
  return create == nullptr ? 0 : size_of(rights.entries(create->access));
}

const std::string& path_of(const Operation& operation) {
  return std::visit([](const auto& each) -> const std::string& { return each.path; }, operation);
}

}  // namespace

int mode_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::persistent:
      return ZOO_PERSISTENT;
    case NodeKind::ephemeral:
      return ZOO_EPHEMERAL;
    case NodeKind::ephemeral_sequential:
      return ZOO_EPHEMERAL_SEQUENTIAL;
    case NodeKind::container:
      return ZOO_CONTAINER;
  }
  return ZOO_PERSISTENT;
}

Result<std::shared_ptr<MultiRequest>> MultiRequest::make(std::vector<Operation> operations,
                                                         const AccessRights& rights) {
  std::size_t total = operation_bytes;
  for (const Operation& operation : operations) {
    Result<Size> size = std::visit([](const auto& each) { return size_of(each); }, operation);
    if (!size) return size.error();
    total += size->total + operation_bytes + access_bytes(operation, rights);
    if (size->data > data_limit || total > multi_limit) {
      return make_error(Errc::too_large,
                        "More than 64 KiB for one node of ZooKeeper, or 512 KiB at once.");
    }
  }
  return std::shared_ptr<MultiRequest>(new MultiRequest(std::move(operations), rights));
}

MultiRequest::MultiRequest(std::vector<Operation> operations, const AccessRights& rights)
    : operations_(std::move(operations)),
      shared_(rights.entries(Access::shared)),
      own_(rights.entries(Access::own)),
      rows_(operations_.size()),
      wanted_(operations_.size()),
      results_(operations_.size()) {
  for (std::size_t index = 0; index < operations_.size(); ++index) {
    std::visit([&](const auto& each) { add(each, wanted_[index], rows_[index]); },
               operations_[index]);
  }
}

void MultiRequest::add(const CreateOperation& operation, ::zoo_op_t& wanted, Row& row) const {
  row.path.resize(operation.path.size() + path_margin);
  zoo_create_op_init(&wanted, operation.path.c_str(), operation.data.data(),
                     static_cast<int>(operation.data.size()),
                     operation.access == Access::shared ? shared_.get() : own_.get(),
                     mode_of(operation.kind), row.path.data(), static_cast<int>(row.path.size()));
}

void MultiRequest::add(const RemoveOperation& operation, ::zoo_op_t& wanted, Row& /*row*/) const {
  zoo_delete_op_init(&wanted, operation.path.c_str(), -1);
}

void MultiRequest::add(const SetOperation& operation, ::zoo_op_t& wanted, Row& row) const {
  zoo_set_op_init(&wanted, operation.path.c_str(), operation.data.data(),
                  static_cast<int>(operation.data.size()), operation.version, &row.stat);
}

void MultiRequest::add(const CheckOperation& operation, ::zoo_op_t& wanted, Row& /*row*/) const {
  zoo_check_op_init(&wanted, operation.path.c_str(), operation.version);
}

// A session that is over fails each operation on its own, and from the second on the client then
// frees what it never set. Only a reconnect can tell it that the session is over, so a multi is
// sent while it is connected or not at all.
int MultiRequest::send(zhandle_t* client, const void* data) {
  if (zoo_state(client) != ZOO_CONNECTED_STATE) return ZCONNECTIONLOSS;
  return zoo_amulti(client, static_cast<int>(wanted_.size()), wanted_.data(), results_.data(),
                    hear_done, data);
}

// The results of a failed multi are of no use but to find the operation that failed: those before
// it say success although they were rolled back, those behind it something inconsistent.
Result<std::vector<OperationAnswer>> MultiRequest::read(const Answer& answer) const {
  if (answer.ours) return *answer.ours;
  if (!answer.is_success()) {
    std::size_t failed = 0;
    while (failed + 1 < results_.size() && results_[failed].err != answer.code) ++failed;
    return error_of(answer.code, path_of(operations_[failed]));
  }
  std::vector<OperationAnswer> answers(operations_.size());
  for (std::size_t index = 0; index < operations_.size(); ++index) {
    const Row& row = rows_[index];
    if (std::holds_alternative<CreateOperation>(operations_[index])) {
      answers[index].path = row.path.data();
      if (answers[index].path.size() + 1 >= row.path.size()) {
        return make_error(Errc::internal, "The path of a new node of ZooKeeper was cut.");
      }
    }
    if (std::holds_alternative<SetOperation>(operations_[index])) {
      answers[index].stat = to_stat(row.stat);
    }
  }
  return answers;
}

}  // namespace locker::backends::zookeeper
