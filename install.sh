#!/bin/sh
# Installs the programs of cogtools, their manual pages and completions.
#
# What it fetches lies in a folder of its own until all of it is there, has its
# checksum and runs; only then is every file renamed to its place.
set -eu

# Where the archives are, and which version of them; a release fills both in.
from=''
version='0.1.0'

usage() {
  cat <<'END'
usage: install.sh [--from URL|DIR] [--prefix DIR] [--version VERSION] [--target TRIPLE]

  --from URL|DIR      where the archives are: an address, or a directory
  --prefix DIR        where to install; ~/.local by default
  --version VERSION   which version
  --target TRIPLE     which programs; those for this machine by default
END
}

say() {
  printf '%s\n' "$*"
}

# fail MESSAGE [HINT]...: says what is wrong and what to do, and ends.
fail() {
  say "install.sh: error: $1" >&2
  shift
  for hint in "$@"; do
    say "hint: $hint" >&2
  done
  exit 1
}

misused() {
  say "install.sh: error: $1" >&2
  usage >&2
  exit 2
}

has() {
  command -v "$1" >/dev/null 2>&1
}

options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h)
        usage
        exit 0
        ;;
      --from | --prefix | --version | --target)
        if [ $# -lt 2 ] || [ -z "$2" ]; then
          misused "$1 needs a value"
        fi
        case $1 in
          --from) from=${2%/} ;;
          --prefix) prefix=$2 ;;
          --version) version=$2 ;;
          --target) target=$2 ;;
        esac
        shift 2
        ;;
      *) misused "unexpected argument '$1'" ;;
    esac
  done
  if [ -z "$from" ]; then
    misused 'no place of the archives is named'
  fi
  if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail 'no home directory is known' 'name a place with --prefix'
    prefix=$HOME/.local
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
}

# The target of this machine, as the names of archives spell it.
machine() {
  system=$(uname -s)
  processor=$(uname -m)
  case $processor in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) system=unknown ;;
  esac
  case $system in
    Linux) say "$processor-unknown-linux-gnu" ;;
    Darwin) say "$processor-apple-darwin" ;;
    *)
      fail "there are no programs for $(uname -s) on $(uname -m)" \
        'Windows: npm install cogtools, or unpack the archive for Windows' \
        'elsewhere: cargo install --path crates/cogtools, in a clone of the source'
      ;;
  esac
}

# fetch NAME: puts the file NAME of the release into the stage.
fetch() {
  case $from in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    *://*) fail "\`$from\` is not fetched from" 'name an address that begins with https://' ;;
    *)
      [ -f "$from/$1" ] || return 1
      cp "$from/$1" "$stage/$1"
      return
      ;;
  esac
  # In the background, so that a signal to us does not wait for it.
  if has curl; then
    curl -fsSL --proto-redir '=https' -o "$stage/$1" "$from/$1" 2>"$stage/why" &
  elif has wget; then
    wget -q -O "$stage/$1" "$from/$1" 2>"$stage/why" &
  else
    fail 'neither curl nor wget is there' "fetch $from/$1 by hand and name its directory with --from"
  fi
  loader=$!
  if wait "$loader"; then
    loader=
  else
    loader=
    cat "$stage/why" >&2
    return 1
  fi
}

sum() {
  if has sha256sum; then
    sha256sum <"$1"
  elif has shasum; then
    shasum -a 256 <"$1"
  elif has openssl; then
    openssl dgst -sha256 -r <"$1"
  else
    fail 'nothing here can check a checksum' 'install sha256sum, shasum or openssl'
  fi
}

# Fetches the archive and its checksum, and holds one against the other.
archive() {
  for file in "$name.tar.gz.sha256" "$name.tar.gz"; do
    fetch "$file" || fail "$file cannot be fetched from $from" \
      "check that this version has an archive for $target; --version and --target name others"
  done
  said=$(cut -d ' ' -f 1 "$stage/$name.tar.gz.sha256")
  found=$(sum "$stage/$name.tar.gz" | cut -d ' ' -f 1)
  if [ -z "$said" ] || [ "$said" != "$found" ]; then
    fail "$name.tar.gz does not have its checksum" \
      'it was cut short or changed on its way; nothing is installed; try again'
  fi
}

# Unpacks the archive in the stage and sees whether its programs run.
unpack() {
  tar -xzf "$stage/$name.tar.gz" -C "$stage" || fail "$name.tar.gz cannot be unpacked"
  ran=$("$stage/$name/bin/cogtools" --version 2>&1) || ran="${ran:-nothing}"
  if [ "$ran" != "cogtools $version" ]; then
    fail "the programs do not run here: \`cogtools --version\` says $ran" \
      'name another archive with --target'
  fi
  # The program that finds the others comes after them, and the links to it last.
  (
    cd "$stage/$name"
    find bin share -type f ! -path bin/cogtools | sort
    say bin/cogtools
    find bin -type l | sort
  ) >"$stage/files"
}

# Makes sure that nothing stands in the way before the first file is renamed.
prepare() {
  while IFS= read -r file; do
    folder=$(dirname "$prefix/$file")
    if ! mkdir -p "$folder" 2>/dev/null || [ ! -w "$folder" ]; then
      fail "$folder cannot be written" 'name another place with --prefix'
    fi
    [ ! -d "$prefix/$file" ] || fail "$prefix/$file is a directory" 'move it away'
  done <"$stage/files"
}

put() {
  # A few renames: whoever wants to end us waits for them.
  trap '' HUP INT TERM
  while IFS= read -r file; do
    mv -f "$stage/$name/$file" "$prefix/$file"
  done <"$stage/files"
}

told() {
  say "cogtools $version is installed in $prefix/bin"
  case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *)
      say "add it to PATH, in ~/.profile or your shell's own file:"
      say "    export PATH=\"$prefix/bin:\$PATH\""
      ;;
  esac
  say 'next: cogtools init in a project of yours; cogtools help tells the rest'
}

clean() {
  [ -z "$loader" ] || kill "$loader" 2>/dev/null || :
  rm -rf "$stage"
}

# Read as a whole before anything runs: half a script does nothing.
main() {
  prefix='' target='' loader=''
  options "$@"
  [ -n "$target" ] || target=$(machine)
  name=cogtools-$version-$target
  mkdir -p "$prefix" 2>/dev/null || fail "$prefix cannot be created" \
    'name another place with --prefix'
  # Beside the place of the files, so that a rename is all that is left to do.
  stage=$(mktemp -d "$prefix/.cogtools-XXXXXX" 2>/dev/null) || fail "$prefix cannot be written" \
    'name another place with --prefix'
  trap clean EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  archive
  unpack
  prepare
  put
  told
}

main "$@"
