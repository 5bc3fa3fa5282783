#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace locker::backends::zookeeper {

// What the server knows of a node beside its data. Times are milliseconds of the server's wall
// clock; zxids are the server's numbers of the transactions that made and last changed it.
struct Stat {
  std::int64_t czxid = 0;
  std::int64_t mzxid = 0;
  std::int64_t created_ms = 0;
  std::int64_t modified_ms = 0;
  std::int32_t version = 0;           // of the data
  std::int32_t children_version = 0;  // counts changes of the children
  std::int32_t children = 0;
  std::int64_t session = 0;  // of an ephemeral node; 0: it is none
};

struct NodeData {
  std::string data;
  Stat stat;
};

// A node that was made: its path with the sequence, where it has one.
struct Created {
  std::string path;
  Stat stat;
};

enum class NodeKind {
  persistent,
  ephemeral,
  ephemeral_sequential,
  container,  // the server removes it some time after its last child; never in a multi
};

// Whose a node is: everybody's who has one of the identities of the tree, or its creator's alone.
enum class Access { shared, own };

// The operations of one multi: all have their effect, or none has.
struct CreateOperation {
  std::string path;
  std::string data;
  NodeKind kind = NodeKind::ephemeral;
  Access access = Access::shared;
};
struct RemoveOperation {
  std::string path;
};
struct SetOperation {
  std::string path;
  std::string data;
  std::int32_t version = -1;  // -1: whatever it is
};
// The node exists, and has that version unless it is -1.
struct CheckOperation {
  std::string path;
  std::int32_t version = -1;
};
using Operation = std::variant<CreateOperation, RemoveOperation, SetOperation, CheckOperation>;

// What one operation of a multi that succeeded answers: a create its path, a set its stat.
struct OperationAnswer {
  std::string path;
  Stat stat;
};

}  // namespace locker::backends::zookeeper
