#include "backends/registry.h"

#include <array>
#include <utility>

#include "backends/local/local_backend.h"
#include "backends/local/sqlite_version.h"
#include "backends/zookeeper/client_version.h"
#include "backends/zookeeper/relay/tls_version.h"
#include "backends/zookeeper/zookeeper_url.h"
#include "core/url.h"

namespace locker::backends {
namespace {

BackendAbout local_facts() {
  BackendAbout facts;
  facts.scheme = "local";
  facts.url_form = "local:[/dir]";
  facts.what = "all processes of one host, in one directory and without a server";
  facts.liveness = "the kernel: a lock ends with its process, at once; a stopped process keeps it";
  facts.order = "first come, first served";
  facts.not_promised = "other hosts and virtual machines are not excluded";
  facts.library = local::sqlite_version();
  return facts;
}

BackendAbout zookeeper_facts() {
  BackendAbout facts;
  facts.scheme = "zk";
  facts.url_form = "zk://host[:port],…[/chroot]";
  facts.what = "all hosts, by an Apache ZooKeeper ensemble";
  facts.liveness =
      "a session: a lock ends with its process, one session time-out later at the latest";
  facts.order = "first come, first served";
  facts.not_promised =
      "exclusion where clock rates differ by a tenth or more, or a leader stalls while its "
      "follower "
      "dies; fenced writes are refused even then";
  facts.library = zookeeper::client_version() + ", " + zookeeper::relay::tls_version();
  return facts;
}

std::string known_forms() {
  std::string forms;
  for (const BackendAbout& facts : built_in()) {
    if (!forms.empty()) forms += ", ";
    forms += "`" + facts.url_form + "` (" + facts.what + ")";
  }
  return forms;
}

Result<std::unique_ptr<runtime::LockBackend>> make_local(const core::Url& url,
                                                         const BackendContext& context) {
  Result<void> known = core::check_parameters(url, {});
  if (!known) return known.error();
  if (!url.hosts.empty()) {
    return make_error(Errc::invalid, "bad_url",
                      "A local store has no host; write `local:/dir`, or `local:` for the default "
                      "store.");
  }
  Result<local::StoreLocation> location = local::locate_store(url.path);
  if (!location) return location.error();
  local::LocalOptions options;
  options.executor = context.executor;
  options.clock = context.clock;
  options.self = context.self;
  options.patience = context.options.connect_timeout;
  options.location = *std::move(location);
  options.boot = context.self.boot;
  return std::unique_ptr<runtime::LockBackend>(
      std::make_unique<local::LocalBackend>(std::move(options)));
}

Result<std::unique_ptr<runtime::LockBackend>> make_zookeeper(const core::Url& url,
                                                             const BackendContext& context) {
  Result<zookeeper::ZooKeeperOptions> options = zookeeper::read_zookeeper_url(url);
  if (!options) return options.error();
  options->executor = context.executor;
  options->clock = context.clock;
  options->self = context.self;
  options->connect_timeout = context.options.connect_timeout;
  options->session_timeout = context.options.session_timeout;
  return std::unique_ptr<runtime::LockBackend>(
      std::make_unique<zookeeper::ZooKeeperBackend>(*std::move(options)));
}

}  // namespace

std::vector<BackendAbout> built_in() {
  return {local_facts(), zookeeper_facts()};
}

Result<std::unique_ptr<runtime::LockBackend>> make_backend(std::string_view url,
                                                           const BackendContext& context) {
  Result<core::Url> parsed = core::parse_url(url);
  if (!parsed) return parsed.error();
  if (parsed->scheme == "local") return make_local(*parsed, context);
  if (parsed->scheme == "zk") return make_zookeeper(*parsed, context);
  return make_error(
      Errc::invalid, "bad_url",
      "There is no backend `" + parsed->scheme + "`; the built-in ones are " + known_forms() + ".");
}

}  // namespace locker::backends
