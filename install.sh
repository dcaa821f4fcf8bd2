#!/bin/sh
# Installs the programs of cogtools, their manual pages and completions.
#
# Downloads stay in a temporary directory until they are complete, match their
# checksums and run; only then is every file renamed to its final path.
set -eu

# The location of the archives and their version; a release fills in both.
from=''
version='0.1.0'

usage() {
  cat <<'END'
usage: install.sh [--from URL|DIR] [--prefix DIR] [--version VERSION] [--target TRIPLE]

  --from URL|DIR      the URL or directory of the archives
  --prefix DIR        the directory to install to; default: ~/.local
  --version VERSION   the version to install
  --target TRIPLE     the platform of the programs; default: this one
END
}

say() {
  printf '%s\n' "$*"
}

# fail MESSAGE [HINT]...: prints an error with hints and exits.
fail() {
  say "install.sh: error: $1" >&2
  shift
  for hint in "$@"; do
    say "hint: $hint" >&2
  done
  exit 1
}

usage_error() {
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
          usage_error "$1 needs a value"
        fi
        case $1 in
          --from) from=${2%/} ;;
          --prefix) prefix=$2 ;;
          --version) version=$2 ;;
          --target) target=$2 ;;
        esac
        shift 2
        ;;
      *) usage_error "unexpected argument '$1'" ;;
    esac
  done
  if [ -z "$from" ]; then
    usage_error 'the location of the archives is missing: --from URL|DIR'
  fi
  if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail 'the home directory is unknown' 'name a directory with --prefix'
    prefix=$HOME/.local
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
}

# The target of this machine, as in the names of archives.
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

# fetch NAME: downloads the file NAME of the release into the stage.
fetch() {
  case $from in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    *://*) fail "\`$from\` is not supported" 'name a URL that begins with https://' ;;
    *)
      [ -f "$from/$1" ] || return 1
      cp "$from/$1" "$stage/$1"
      return
      ;;
  esac
  # In the background, so that a signal does not have to wait for it.
  if has curl; then
    curl -fsSL --proto-redir '=https' -o "$stage/$1" "$from/$1" 2>"$stage/why" &
  elif has wget; then
    wget -q -O "$stage/$1" "$from/$1" 2>"$stage/why" &
  else
    fail 'neither curl nor wget is installed' "fetch $from/$1 by hand and name its directory with --from"
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
    fail 'no program can verify the checksum' 'install sha256sum, shasum or openssl'
  fi
}

# Fetches the archive and its checksum, and verifies the archive.
archive() {
  for file in "$name.tar.gz.sha256" "$name.tar.gz"; do
    fetch "$file" || fail "$file cannot be fetched from $from" \
      "check that this version has an archive for $target; --version and --target name others"
  done
  expected=$(cut -d ' ' -f 1 "$stage/$name.tar.gz.sha256")
  actual=$(sum "$stage/$name.tar.gz" | cut -d ' ' -f 1)
  if [ -z "$expected" ] || [ "$expected" != "$actual" ]; then
    fail "$name.tar.gz does not match its checksum" \
      'it was truncated or changed on the way; nothing is installed; try again'
  fi
}

# Unpacks the archive in the stage and checks that its programs run.
unpack() {
  tar -xzf "$stage/$name.tar.gz" -C "$stage" || fail "$name.tar.gz cannot be unpacked"
  ran=$("$stage/$name/bin/cogtools" --version 2>&1) || ran="${ran:-nothing}"
  if [ "$ran" != "cogtools $version" ]; then
    fail "the programs do not run here: \`cogtools --version\` says $ran" \
      'name another archive with --target'
  fi
  # `cogtools` comes after the programs that it starts, and the links to it last.
  (
    cd "$stage/$name"
    find bin share -type f ! -path bin/cogtools | sort
    say bin/cogtools
    find bin -type l | sort
  ) >"$stage/files"
}

# Checks for obstacles before the first file is renamed.
prepare() {
  while IFS= read -r file; do
    folder=$(dirname "$prefix/$file")
    if ! mkdir -p "$folder" 2>/dev/null || [ ! -w "$folder" ]; then
      fail "$folder cannot be written" 'name another directory with --prefix'
    fi
    [ ! -d "$prefix/$file" ] || fail "$prefix/$file is a directory" 'move it away'
  done <"$stage/files"
}

place_files() {
  # These few renames must not be interrupted.
  trap '' HUP INT TERM
  while IFS= read -r file; do
    mv -f "$stage/$name/$file" "$prefix/$file"
  done <"$stage/files"
}

report() {
  say "cogtools $version is installed in $prefix/bin"
  case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *)
      say "add it to PATH, in ~/.profile or your shell's startup file:"
      say "    export PATH=\"$prefix/bin:\$PATH\""
      ;;
  esac
  say 'next: run cogtools init in one of your projects; see cogtools help for more'
}

clean() {
  [ -z "$loader" ] || kill "$loader" 2>/dev/null || :
  rm -rf "$stage"
}

# The shell reads all of it before anything runs: a truncated script does nothing.
main() {
  prefix='' target='' loader=''
  options "$@"
  [ -n "$target" ] || target=$(machine)
  name=cogtools-$version-$target
  mkdir -p "$prefix" 2>/dev/null || fail "$prefix cannot be created" \
    'name another directory with --prefix'
  # On the same file system as the files, so that they only have to be renamed.
  stage=$(mktemp -d "$prefix/.cogtools-XXXXXX" 2>/dev/null) || fail "$prefix cannot be written" \
    'name another directory with --prefix'
  trap clean EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  archive
  unpack
  prepare
  place_files
  report
}

main "$@"
