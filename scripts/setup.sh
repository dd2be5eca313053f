#!/bin/sh
# Install what the full tests need and this machine lacks. Quiet where nothing is to do; run it as often as you like.
set -eu

# Each line: the program that shows that it is there, and the Debian package that brings it.
needed="bwrap bubblewrap
git git
python3 python3
perl perl
make make
ctags universal-ctags
chromium chromium
nats-server nats-server
redis-server redis-server
go golang-go
gem ruby
composer composer
php php-cli
unzip unzip
zsh zsh"

# Programs from npm that stand beside Tenon in tests: MCP servers, the conformance suite, a Node 22 to run it.
peers="$(dirname "$0")/../test/peers"
if ! cmp -s "$peers/package.json" "$peers/node_modules/.installed" 2>/dev/null; then
  echo "setup: installing the programs in test/peers" >&2
  npm install --prefix "$peers" --no-audit --no-fund --loglevel=error >/dev/null
  cp "$peers/package.json" "$peers/node_modules/.installed"
fi

missing=""
while read -r program package; do
  command -v "$program" >/dev/null 2>&1 || missing="$missing $package"
done <<END
$needed
END

[ -n "$missing" ] || exit 0

if [ "$(uname -s)" != Linux ]; then
  echo "setup: the sandbox and its tests need Linux; go on without:$missing" >&2
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: please install:$missing (Debian, Ubuntu: sudo apt-get install$missing; Fedora: dnf; Arch: pacman)" >&2
  exit 0
fi

export DEBIAN_FRONTEND=noninteractive
install() {
  # shellcheck disable=SC2086 -- a list of packages
  apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
echo "setup: installing$missing" >&2
# The lists may be old or not there at all; only then is it worth the time to fetch them.
install 2>/dev/null || { apt-get update -qq && install; }
