#include "backends/zookeeper/relay/tls_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace locker::backends::zookeeper::relay {
namespace {

constexpr std::size_t most_bytes = 1 << 20;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using BioPtr = std::unique_ptr<BIO, FreeBio>;

struct File {
  std::string text;
  mode_t mode = 0;
};

Error cannot_read(const std::string& path, const char* why) {
  return make_error(Errc::config, "the TLS file " + path + " cannot be read (" + why + ")");
}

// By hand, because OpenSSL opens files that a started program would inherit.
Result<File> read_file(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (number < 0) return cannot_read(path, std::strerror(errno));
  File file;
  struct stat status {};
  std::array<char, 16384> part;
  ssize_t bytes = ::fstat(number, &status);
  while (bytes >= 0 && file.text.size() <= most_bytes) {
    bytes = ::read(number, part.data(), part.size());
    if (bytes <= 0) break;
    file.text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  const int why = errno;
  ::close(number);
  if (bytes < 0) return cannot_read(path, std::strerror(why));
  if (file.text.size() > most_bytes) return cannot_read(path, "it is larger than 1 MiB");
  file.mode = status.st_mode;
  return file;
}

BioPtr open_text(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Answers "no passphrase" where OpenSSL would ask on the terminal.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

}  // namespace

Result<std::vector<CertificatePtr>> read_certificates(const std::string& path) {
  const Result<File> file = read_file(path);
  if (!file) return file.error();
  const BioPtr text = open_text(file->text);
  std::vector<CertificatePtr> certificates;
  ERR_clear_error();
  while (X509* certificate = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(certificate);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates.empty() || !at_end) {
    return make_error(Errc::config, "the TLS file " + path +
                                        " holds no whole PEM certificate: it begins with "
                                        "\"-----BEGIN CERTIFICATE-----\"");
  }
  return certificates;
}

Result<KeyPtr> read_key(const std::string& path) {
  const Result<File> file = read_file(path);
  if (!file) return file.error();
  if ((file->mode & S_IRWXO) != 0) {
    return make_error(
        Errc::unauthorized, "key_is_public",
        "the TLS key " + path + " is open to every user: take that away with chmod o= " + path);
  }
  const BioPtr text = open_text(file->text);
  bool asked = false;
  ERR_clear_error();
  KeyPtr key(PEM_read_bio_PrivateKey(text.get(), nullptr, no_passphrase, &asked));
  ERR_clear_error();
  if (key != nullptr) return key;
  if (asked) {
    return make_error(Errc::config, "the TLS key " + path +
                                        " has a passphrase, and nobody is there to type it: store "
                                        "it without one and let only this user read it");
  }
  return make_error(Errc::config, "the TLS file " + path +
                                      " holds no PEM key: it has a line like \"-----BEGIN PRIVATE "
                                      "KEY-----\"");
}

}  // namespace locker::backends::zookeeper::relay
