#!/bin/sh
# Installs the programs of cogtools, their manual pages and completions.
#
# Downloads stay in a temporary directory until they are complete, match their
# checksums and run; only then is every file renamed to its final path.
set -eu
# Ranges of characters mean ASCII.
export LC_ALL=C

# The location of the archives, their version, and their checksums, as pairs of a checksum and
# a name; a release fills them in.
from=''
version='0.1.0'
checksums=''

usage() {
  cat <<'END'
usage: install.sh [--from URL|DIR] [--prefix DIR] [--version VERSION] [--target TRIPLE]
                  [--checksum SHA256]

  --from URL|DIR      the URL or directory of the archives
  --prefix DIR        the directory to install to; default: ~/.local
  --version VERSION   the version to install
  --target TRIPLE     the platform of the programs; default: this one
  --checksum SHA256   the checksum of the archive, from a source that you trust
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
      --from | --prefix | --version | --target | --checksum)
        if [ $# -lt 2 ] || [ -z "$2" ]; then
          usage_error "$1 needs a value"
        fi
        case $1 in
          --from) from=${2%/} ;;
          --prefix) prefix=$2 ;;
          --version) version=$2 ;;
          --target) target=$2 ;;
          --checksum) checksum=$2 ;;
        esac
        shift 2
        ;;
      *) usage_error "unexpected argument '$1'" ;;
    esac
  done
  if [ -z "$from" ]; then
    usage_error 'the location of the archives is missing: --from URL|DIR'
  fi
  address
  if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail 'the home directory is unknown' 'name a directory with --prefix'
    prefix=$HOME/.local
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
}

# Checks that $from is a directory, or a URL that is safe to fetch from: its host is what
# follows the scheme, up to a port or a path, and without a user's name nothing hides it.
address() {
  case $from in
    *://*) ;;
    *) return 0 ;;
  esac
  scheme=${from%%://*}
  rest=${from#*://}
  authority=${rest%%/*}
  host=${authority%:*}
  port=${authority##*:}
  [ "$host" != "$authority" ] || port=0
  case $rest in
    *[!A-Za-z0-9._~/:%+-]*) host='' ;;
  esac
  case $host in
    *[!A-Za-z0-9.-]*) host='' ;;
  esac
  case $port in
    '' | *[!0-9]*) host='' ;;
  esac
  case $scheme://$host in
    https://?*) ;;
    http://127.0.0.1 | http://localhost) ;;
    *) fail "\`$from\` is not supported" 'name a URL that begins with https:// and a host' ;;
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
    *://*) ;;
    *)
      [ -f "$from/$1" ] || return 1
      cp "$from/$1" "$stage/$1"
      return
      ;;
  esac
  # In the background, so that a signal does not have to wait for it.
  if has curl; then
    curl -gfsSL --proto-redir '=https' -o "$stage/$1" "$from/$1" 2>"$stage/why" &
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

# download FILE: fetches it, or fails.
download() {
  fetch "$1" || fail "$1 cannot be fetched from $from" \
    "check that this version has an archive for $target; --version and --target name others"
}

# The checksum of the archive in this script, if it is there.
known_checksum() {
  # shellcheck disable=SC2086 # words
  set -- $checksums
  while [ $# -gt 1 ]; do
    if [ "$2" = "$name.tar.gz" ]; then
      say "$1"
      return
    fi
    shift 2
  done
}

# Fetches the archive and verifies it by its checksum.
archive() {
  [ -n "$checksum" ] || checksum=$(known_checksum)
  if [ -z "$checksum" ]; then
    download "$name.tar.gz.sha256"
    checksum=$(cut -d ' ' -f 1 "$stage/$name.tar.gz.sha256")
    unverified=yes
  fi
  download "$name.tar.gz"
  actual=$(sum "$stage/$name.tar.gz" | cut -d ' ' -f 1)
  if [ -z "$checksum" ] || [ "$checksum" != "$actual" ]; then
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
  trap '' HUP INT QUIT TERM
  while IFS= read -r file; do
    mv -f "$stage/$name/$file" "$prefix/$file"
  done <"$stage/files"
}

report() {
  say "cogtools $version is installed in $prefix/bin"
  if [ -n "$unverified" ]; then
    say 'its origin is not verified: the checksum comes from the same location; see --checksum'
  fi
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
  [ -z "$stage" ] || rm -rf "$stage"
}

# Removes what an earlier run has left that could not clean up.
clean_earlier() {
  for earlier in "$prefix"/.cogtools-*-??????; do
    process=${earlier#"$prefix"/.cogtools-}
    process=${process%-??????}
    case $process in
      '' | *[!0-9]*) continue ;;
    esac
    if [ -d "$earlier" ] && [ ! -L "$earlier" ] && ! kill -0 "$process" 2>/dev/null; then
      rm -rf "$earlier" 2>/dev/null || :
    fi
  done
}

# The shell reads all of it before anything runs: a truncated script does nothing.
main() {
  prefix='' target='' checksum='' unverified='' loader='' stage=''
  options "$@"
  [ -n "$target" ] || target=$(machine)
  name=cogtools-$version-$target
  mkdir -p "$prefix" 2>/dev/null || fail "$prefix cannot be created" \
    'name another directory with --prefix'
  trap clean EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 131' QUIT
  trap 'exit 143' TERM
  clean_earlier
  # On the same file system as the files, so that they only have to be renamed.
  stage=$(mktemp -d "$prefix/.cogtools-$$-XXXXXX" 2>/dev/null) || fail "$prefix cannot be written" \
    'name another directory with --prefix'
  archive
  unpack
  prepare
  place_files
  report
}

main "$@"
