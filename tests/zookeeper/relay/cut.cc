#include "tests/zookeeper/relay/cut.h"

#include <cstdlib>

namespace locker::tests {

Cut::Cut(std::uint16_t port) : port_(std::to_string(port)) {
  change("-A", "--dport");
  change("-A", "--sport");
}

Cut::~Cut() {
  change("-D", "--dport");
  change("-D", "--sport");
}

void Cut::change(const char* what, const char* side) const {
  const std::string command =
      std::string("iptables ") + what + " INPUT -p tcp " + side + " " + port_ + " -j DROP";
  if (std::system(command.c_str()) != 0) std::abort();
}

}  // namespace locker::tests
