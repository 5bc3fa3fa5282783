#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <zookeeper/zookeeper.h>

namespace locker::bench {

// One session of the bare C client. Any thread may use it.
class FloorSession {
 public:
  // Connects to `address` (host:port) and waits for the session; ends the program after 30 s.
  explicit FloorSession(const std::string& address);
  FloorSession(const FloorSession&) = delete;
  FloorSession& operator=(const FloorSession&) = delete;
  ~FloorSession();

  zhandle_t* handle() const { return handle_; }

  // Makes a persistent node and its parents, unless they are there.
  void make(const std::string& path);

 private:
  zhandle_t* handle_ = nullptr;
};

// Ends the program unless `code` is ZOK: a benchmark with failures measures nothing.
void need(int code, const char* what);

// The same nodes as the library's: a directory for each partition of one table, and the directory
// for locks on more than one partition in the database and in the table.
class FloorTree {
 public:
  explicit FloorTree(FloorSession& session, int partitions);

  const std::string& owner() const { return owner_; }
  const std::string& table() const { return table_; }
  // The two directories that a lock on a partition looks into besides its own.
  const std::vector<std::string>& coarse() const { return coarse_; }
  const std::string& directory(int partition) const {
    return directories_.at(static_cast<std::size_t>(partition));
  }
  // What a lock's node is called before the server appends the sequence.
  std::string node(int partition) const { return directory(partition) + "/" + name_; }
  // The data of a lock's node, as long as the library's.
  const std::string& data() const { return data_; }

 private:
  std::string owner_;
  std::string table_;
  std::vector<std::string> coarse_;
  std::vector<std::string> directories_;
  std::string name_;
  std::string data_;
};

}  // namespace locker::bench
