# shellcheck shell=bash disable=SC2034
# What the scripts share: where the project is, how a step is shown, which packages there must be.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
build=$root/build
readonly root build
jobs=$(nproc)
readonly jobs

# Two clones of this project share what was compiled: nothing in a result depends on the folder.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=true

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# step TEXT COMMAND…: one line for one step. A step that fails shows the end of what it printed.
step() {
  local text=$1 log=${step_log:-} begin=$SECONDS
  shift
  [ -n "$log" ] || log=$(mktemp)
  printf '%s … ' "$text"
  if "$@" >"$log" 2>&1; then
    printf 'done (%d s)\n' $((SECONDS - begin))
    [ -n "${step_log:-}" ] || rm -f "$log"
  else
    printf 'failed\n' >&2
    tail -n 40 "$log" >&2
    printf 'The whole of it is in %s\n' "$log" >&2
    return 1
  fi
}

# The Debian packages, one set a purpose. The first builds and runs the product.
product_packages=(g++ meson ninja-build pkg-config
  libboost1.81-dev libcli11-dev libsqlite3-dev libssl-dev libzookeeper-mt-dev nlohmann-json3-dev)
# Real ZooKeeper servers are tested against: the last line is for them.
test_packages=(catch2 ccache clang clang-format cmake fish libclang-rt-14-dev mandoc patch
  python3-pytest shellcheck strace zsh
  default-jre-headless faketime iproute2 iptables libzookeeper-java openssl)

# missing_packages NAME…: those of them that are not installed.
missing_packages() {
  local installed
  # shellcheck disable=SC2016 # fields of dpkg's
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  local name
  for name in "$@"; do
    grep -qx "$name installed" <<<"$installed" || printf '%s\n' "$name"
  done
}
