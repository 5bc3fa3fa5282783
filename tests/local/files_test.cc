// Where a store may be, who may use it, and what is said where it can't.

#include <fcntl.h>
#include <grp.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "backends/local/file_system.h"
#include "backends/local/store.h"
#include "core/random_id.h"
#include "runtime/process_info.h"
#include "tests/local/support.h"
#include "tests/support/test.h"

using namespace locker;
using namespace locker::tests;
using namespace locker::backends::local;

namespace {

Result<std::unique_ptr<Store>> open_store(const std::string& directory) {
  return Store::open({directory}, "boot", after(std::chrono::seconds(20)));
}

Error refused(const std::string& directory) {
  return open_store(directory).error();
}

mode_t mode_of(const std::string& path) {
  struct stat facts {};
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  return facts.st_mode & 07777;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

void execute(const std::string& database, const std::string& sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(database.c_str(), &connection) == SQLITE_OK);
  CHECK(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(connection);
}

// Sets an environment variable for a while; null takes it away.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

// Whether `body` holds in a child process with these ids.
bool as_user(uid_t user, gid_t group, const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool dropped =
        ::setgroups(0, nullptr) == 0 && ::setgid(group) == 0 && ::setuid(user) == 0;
    ::_exit(dropped && body() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

// Rights that a test needs and may not have; where it must not be skipped, it fails.
bool may(bool able, const char* what) {
  if (able) return true;
  WARN("skipped: " << what);
  CHECK(std::getenv("CI") == nullptr);
  return false;
}

bool is_root() {
  return may(::geteuid() == 0, "needs root");
}

// A small file system of its own.
class SmallDisk {
 public:
  SmallDisk() : mounted_(::mount("tmpfs", path(), "tmpfs", 0, "size=2m,mode=700") == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(path(), MNT_DETACH);
  }

  bool mounted() const { return may(mounted_, "needs the right to mount"); }
  const char* path() const { return directory_.path().c_str(); }
  void fill() const {
    std::ofstream file(directory_ / "filler", std::ios::binary);
    while (file << 'x') {
    }
  }
  void make_room() const { std::filesystem::remove(directory_ / "filler"); }
  bool make_read_only() const {
    return ::mount("tmpfs", path(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0;
  }

 private:
  TemporaryDirectory directory_;
  bool mounted_;
};

}  // namespace

TEST_CASE("an explicit directory is taken as it is, and must be absolute") {
  CHECK(locate_store("/a/b/")->directory == "/a/b");
  CHECK_FALSE(locate_store("/a/b")->per_user);
  CHECK(locate_store("a/b").error().code == "bad_url");
}

TEST_CASE("without the shared store each user has one, and nobody has one without a home") {
  // Root may write everywhere, so an existing shared store would be taken.
  if (std::filesystem::exists("/var/lib/locker")) return;
  const Environment home("HOME", "/people/somebody");
  {
    const Environment state("XDG_STATE_HOME", "/state");
    CHECK(locate_store("")->directory == "/state/locker");
    CHECK(locate_store("")->per_user);
  }
  const Environment state("XDG_STATE_HOME", "relative");
  CHECK(locate_store("")->directory == "/people/somebody/.local/state/locker");
  const Environment homeless("HOME", nullptr);
  CHECK(locate_store("").error().errc == Errc::config);
}

TEST_CASE("a user's own store is made with its parents, for that user alone, with one warning") {
  const TemporaryDirectory home;
  const StoreLocation location{home / "a/b/locker", true};
  REQUIRE(Store::open(location, "boot", StoreTime::max()));
  CHECK(mode_of(home / "a") == 0700);
  CHECK(mode_of(home / "a/b/locker") == 0700);
  CHECK(mode_of(home / "a/b/locker/locks.db") == 0600);
  boost::asio::io_context context;
  LocalOptions options;
  options.executor = context.get_executor();
  options.location = location;
  const LocalBackend backend(std::move(options));
  REQUIRE(backend.warnings().size() == 1);
  CHECK_THAT(backend.warnings()[0], Catch::Contains("other users are not excluded"));
}

TEST_CASE("files are as open as their directory, whatever the umask") {
  const mode_t before = ::umask(0077);
  const TemporaryDirectory parent;
  const std::string directory = parent / "store";
  REQUIRE(::mkdir(directory.c_str(), 0770) == 0);
  REQUIRE(::chmod(directory.c_str(), 02770) == 0);
  const auto store = open_store(directory);
  REQUIRE(store);
  const auto pipes = (*store)->open_session("id", runtime::describe_self("test"), {});
  REQUIRE(pipes);
  ::umask(before);
  CHECK(mode_of(directory + "/locks.db") == 0660);
  CHECK(mode_of(directory + "/locks.db-wal") == 0660);
  CHECK(mode_of(directory + "/locks.db-shm") == 0660);
  CHECK(mode_of(directory + "/sessions") == 02770);
  CHECK(mode_of(directory + "/sessions/id.life") == 0640);
  CHECK(mode_of(directory + "/sessions/id.bell") == 0660);
}

TEST_CASE("what can't be a store is refused in one sentence that says what to do") {
  const TemporaryDirectory directory;
  write_file(directory / "file", "content");
  CHECK(refused(directory / "file").code == "not_a_directory");
  CHECK(content_of(directory / "file") == "content");
  CHECK(refused(directory / "missing/store").code == "store_missing");
  CHECK(refused("/proc").errc != Errc::internal);
  for (const std::string& path : {directory / "file", directory / "missing/store"}) {
    CHECK_THAT(refused(path).message, Catch::Contains(path));
    CHECK_THAT(refused(path).message, Catch::Contains("local:/dir"));
  }
}

TEST_CASE("a directory that other hosts may share is refused") {
  CHECK(shared_kind(0x6969) == "NFS");
  CHECK(shared_kind(0xff534d42) == "CIFS");
  CHECK(shared_kind(0x65735546) == "FUSE");
  CHECK(shared_kind(0x01021997) == "9p");
  CHECK(shared_kind(0xef53).empty());      // ext4
  CHECK(shared_kind(0x58465342).empty());  // XFS
  CHECK(shared_kind(0x01021994).empty());  // tmpfs
  CHECK(shared_kind(0x9123683e).empty());  // Btrfs
  CHECK(shared_kind(0x794c7630).empty());  // overlay
}

TEST_CASE("a foreign or damaged file at the store's place is refused and left alone") {
  const TemporaryDirectory directory;
  const std::string database = directory / "locks.db";
  for (const std::string& content :
       {std::string(), std::string("no database"), std::string(9000, 'x')}) {
    write_file(database, content);
    CHECK(refused(directory.path()).errc == Errc::mismatch);
    CHECK(refused(directory.path()).code == "not_a_store");
    CHECK(content_of(database) == content);
  }
  std::filesystem::remove(database);
  execute(database, "CREATE TABLE theirs(x)");
  const std::string content = content_of(database);
  CHECK(refused(directory.path()).code == "not_a_store");
  CHECK(content_of(database) == content);
}

TEST_CASE("a damaged store is refused and nothing is deleted") {
  const TemporaryDirectory directory;
  const std::string database = directory / "locks.db";
  REQUIRE(open_store(directory.path()));
  std::filesystem::remove(database + "-wal");
  std::filesystem::remove(database + "-shm");
  std::string content = content_of(database);
  REQUIRE(content.size() > 4096);
  for (std::size_t index = 100; index < content.size(); ++index) content[index] = '\x5a';
  write_file(database, content);
  const Error error = refused(directory.path());
  CHECK(error.errc == Errc::mismatch);
  CHECK(error.code == "corrupt_store");
  CHECK_THAT(error.message, Catch::Contains("nothing was deleted"));
  CHECK(content_of(database) == content);
}

TEST_CASE("a store of a newer format is opened exactly if that format says so") {
  const TemporaryDirectory directory;
  const std::string database = directory / "locks.db";
  REQUIRE(open_store(directory.path()));
  execute(database, "PRAGMA user_version = 2");
  CHECK(open_store(directory.path()));
  execute(database, "UPDATE meta SET value = 2 WHERE name = 'least_reader'");
  const Error error = refused(directory.path());
  CHECK(error.errc == Errc::mismatch);
  CHECK(error.code == "newer_store");
  CHECK_THAT(error.message, Catch::Contains("format 2"));
}

TEST_CASE("missing rights are told as such") {
  if (!is_root()) return;
  const TemporaryDirectory directory;
  const std::string store = directory / "store";
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  REQUIRE(open_store(store));
  constexpr uid_t nobody = 65534;
  for (const mode_t mode : {0700, 0755}) {
    ::chmod(store.c_str(), mode);
    CHECK(as_user(nobody, nobody, [&] { return refused(store).errc == Errc::unauthorized; }));
  }
  // The directory may be written to, but the database may not.
  ::chmod(store.c_str(), 0777);
  CHECK(as_user(nobody, nobody, [&] { return refused(store).errc == Errc::unauthorized; }));
  CHECK(as_user(nobody, nobody,
                [&] { return refused(directory / "new").errc == Errc::unauthorized; }));
}

TEST_CASE("users of one group share a store, and see each other's death") {
  if (!is_root()) return;
  const TemporaryDirectory parent;
  std::filesystem::permissions(parent.path(), std::filesystem::perms(0755));
  const std::string directory = parent / "store";
  constexpr gid_t group = 64321;
  constexpr uid_t first = 64331;
  constexpr uid_t second = 64332;
  REQUIRE(::mkdir(directory.c_str(), 0770) == 0);
  REQUIRE(::chown(directory.c_str(), 0, group) == 0);
  REQUIRE(::chmod(directory.c_str(), 02770) == 0);
  const auto wanted = request({place("/db/t")});
  const auto take_and_die = [&] {
    const auto store = open_store(directory);
    const auto pipes = (*store)->open_session("a", runtime::describe_self("test"), {});
    return pipes && (*store)->join("a", *wanted).has_value();
  };
  const auto look_and_take = [&] {
    const auto store = open_store(directory);
    const auto pipes = (*store)->open_session("b", runtime::describe_self("test"), {});
    const auto standing = (*store)->standing("b", {place("/db/t")});
    return standing && standing->empty() && (*store)->join("b", *wanted) &&
           !std::filesystem::exists((*store)->files().life("a"));
  };
  CHECK(as_user(first, group, take_and_die));
  CHECK(as_user(second, group, look_and_take));
}

TEST_CASE("a full file system is told as such, and loses nothing") {
  const SmallDisk disk;
  if (!disk.mounted()) return;
  const auto store = open_store(disk.path());
  REQUIRE(store);
  const auto pipes = (*store)->open_session("id", runtime::describe_self("test"), {});
  REQUIRE(pipes);
  disk.fill();
  std::vector<std::shared_ptr<runtime::Request>> taken;
  std::optional<Error> full;
  for (int round = 0; round < 5000 && !full; ++round) {
    const auto wanted = request({place("/db/t" + std::to_string(round))});
    const auto joined = (*store)->join("id", *wanted);
    if (joined) {
      taken.push_back(wanted);
    } else {
      full = joined.error();
    }
  }
  REQUIRE(full.has_value());
  CHECK(full->errc == Errc::unavailable);
  CHECK(full->code == "store_full");
  disk.make_room();
  CHECK((*store)->list({})->size() == taken.size());
  const auto wanted = request({place("/db/late")});
  CHECK((*store)->join("id", *wanted));
}

TEST_CASE("a store can't be made on a full or a read-only file system") {
  const SmallDisk disk;
  if (!disk.mounted()) return;
  disk.fill();
  CHECK(refused(disk.path()).code == "store_full");
  disk.make_room();
  if (!may(disk.make_read_only(), "needs the right to remount")) return;
  const Error error = refused(disk.path());
  CHECK(error.errc == Errc::unavailable);
  CHECK(error.code == "store_read_only");
}

TEST_CASE("a life pipe hears nobody but its holders") {
  const TemporaryDirectory directory;
  const std::string life = directory / "life";
  CHECK(life_at(life) == Life::missing);
  {
    const auto pipes = make_pipes(life, directory / "bell", 0600, 0600);
    REQUIRE(pipes);
    CHECK(pipes->life.number() > 2);
    CHECK((::fcntl(pipes->life.number(), F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(life_at(life) == Life::alive);
    // Who looks is no holder, and junk in the pipe is no life.
    const Descriptor prober = open_life(life);
    CHECK(::write(pipes->life.number(), "junk", 4) == 4);
    CHECK(life_of(prober.number()) == Life::alive);
  }
  CHECK(life_at(life) == Life::dead);
  CHECK(ring_bell(directory / "bell"));
  CHECK(ring_bell(directory / "missing"));
}

TEST_CASE("a full bell can be rung") {
  const TemporaryDirectory directory;
  const auto pipes = make_pipes(directory / "life", directory / "bell", 0600, 0600);
  REQUIRE(pipes);
  const std::string much(1 << 20, 'x');
  CHECK(::write(pipes->bell.number(), much.data(), much.size()) > 0);
  CHECK(ring_bell(directory / "bell"));
  empty_bell(pipes->bell.number());
  char byte = 0;
  CHECK(::read(pipes->bell.number(), &byte, 1) == -1);
}
