#pragma once

#include <locker/result.h>

#include "backends/zookeeper/zookeeper_backend.h"
#include "core/url.h"

namespace locker::backends::zookeeper {

// The parts of ZooKeeperOptions that a URL tells: servers, chroot, url, identity.
// `zk://h1:2181,h2,[::1]/chroot?auth_file=/path&…`; the port's default is 2181. Parameters:
//   auth_file            a file of mode 0600 with one line user:password, who the lockers are
//   also, readers        further identities that share the nodes, or may read them
//   tls=on               and ca_file, cert_file, key_file, all PEM
//   relay=on|off         default: on with TLS or with more than one server
// Errors: invalid/bad_url (no host, an unknown parameter, a chroot that ZooKeeper refuses), config
// (the auth file can't be read, is others' too, or is not "user:password").
Result<ZooKeeperOptions> read_zookeeper_url(const core::Url& url);

}  // namespace locker::backends::zookeeper
