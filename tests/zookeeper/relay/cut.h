#pragma once

#include <cstdint>
#include <string>

namespace locker::tests {

// Loses every packet to and from a port, without a word, in this network: the test's own, by
// in_own_network.py.
class Cut {
 public:
  explicit Cut(std::uint16_t port);
  Cut(const Cut&) = delete;
  Cut& operator=(const Cut&) = delete;
  ~Cut();

 private:
  void change(const char* what, const char* side) const;

  std::string port_;
};

}  // namespace locker::tests
