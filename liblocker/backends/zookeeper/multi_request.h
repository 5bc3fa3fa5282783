#pragma once

#include <memory>
#include <string>
#include <vector>

#include <zookeeper/zookeeper.h>

#include <locker/result.h>

#include "backends/zookeeper/access_rights.h"
#include "backends/zookeeper/answer.h"
#include "backends/zookeeper/operations.h"

namespace locker::backends::zookeeper {

// One multi: what the client reads when it is sent, and writes its results to until it is answered
// or the client is closed. So it stays where it is.
class MultiRequest {
 public:
  // Errors: invalid (a path, a container), too_large.
  static Result<std::shared_ptr<MultiRequest>> make(std::vector<Operation> operations,
                                                    const AccessRights& rights);
  MultiRequest(const MultiRequest&) = delete;
  MultiRequest& operator=(const MultiRequest&) = delete;

  // Never waits for a connection: without one it is unavailable.
  int send(zhandle_t* client, const void* data);
  // What the answer means.
  Result<std::vector<OperationAnswer>> read(const Answer& answer) const;

 private:
  // What one operation needs beside its own strings.
  struct Row {
    std::vector<char> path;  // room for the path of a node that was made
    ::Stat stat{};
  };

  MultiRequest(std::vector<Operation> operations, const AccessRights& rights);
  void add(const CreateOperation& operation, ::zoo_op_t& wanted, Row& row) const;
  void add(const RemoveOperation& operation, ::zoo_op_t& wanted, Row& row) const;
  void add(const SetOperation& operation, ::zoo_op_t& wanted, Row& row) const;
  void add(const CheckOperation& operation, ::zoo_op_t& wanted, Row& row) const;

  const std::vector<Operation> operations_;
  AccessVector shared_;
  AccessVector own_;
  std::vector<Row> rows_;
  std::vector<::zoo_op_t> wanted_;
  std::vector<::zoo_op_result_t> results_;
};

// The create mode of the client.
int mode_of(NodeKind kind);

}  // namespace locker::backends::zookeeper
