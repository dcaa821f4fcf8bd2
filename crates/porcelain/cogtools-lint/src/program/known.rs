//! Names of well-known programs, for names that are nearly theirs.

/// Programs that names can be meant to be.
pub(crate) const PROGRAMS: &str = "awk aws bash brew bun cargo cat clang cmake composer curl cut \
    date deno diff docker emacs env ffmpeg find fish gawk gcc git grep gradle gzip head helm java \
    javac kubectl make mongosh mvn mysql node npm npx openssl pandoc patch perl php ping pip pip3 \
    pnpm podman poetry psql pwsh pytest python python3 redis-cli rsync ruby rustc screen sed sh \
    sort sqlite3 ssh sudo systemctl tail tar terraform timeout tmux touch tree uniq uv vim wget \
    which xargs yarn yq zip zsh jq ls rm rg fd";

/// Programs that are not the ones above, though their names are like them.
const OTHERS: &str = "aa ab ack acme ag age agrep ar arp as ash atop autossh b3sum base32 base64 \
    basename bat bc bfs bison black bunx bunzip2 bzip2 cal ccat cd chmod chown cksum clear cloc \
    cmp column comm cp cpp csh csplit ctags curlie cwebp dash dasel dc dd delta df dig direnv \
    dirname dos2unix du dust ed egrep entr espeak esbuild eslint ex exa exiftool expand expr eza \
    false fdfind fgrep fgrep file flex flow flyctl fmt fold free g++ gcloud gem gh ghc glab glow \
    gmake gnuplot go gofmt gpg gradlew groovy grip gron gsed gunzip hash hg host hostname htop \
    http https hub hx hyperfine id identify install iostat ip isort jar jaq java jest jless join \
    jo journalctl julia just k9s kill ksh kustomize lazygit ld less lean lein ln locate logname \
    lsd lsof lua luajit lynx lz4 m4 magick mail man mawk mdbook micro mise mkdir mktemp mlr mosh \
    mv mypy nano nc ncat ncdu netstat nginx ninja nix nl nm nmap nvim od ollama opam ox oxlint \
    parallel paste pbcopy pdf pdm pgrep pipx pkill plutil pr prettier printenv printf procs ps \
    pwd pyenv pypy3 R raku rake rbenv rclone readlink realpath rename rev rmdir rollup rtk ruff \
    rustfmt rustup say scala scp script seq sftp sha1sum sha256sum shasum shfmt shred shuf sleep \
    sops sox split stat strings su sum svgo svn swift swc sync tac tb tcsh tee test tig time tofu \
    top tox tr true tsc tsx tty turbo typst uname unzip uptime uuidgen uvx vale vi vite vitest w \
    watch wc whoami whois xh xmllint xq xxd xz yes yt-dlp zcat zig zoxide zstd dot host hostid \
    bsdtar gtar guile rc lp ledger hledger task todo note tldr cheat fzf sk tv gum rich yamllint \
    shellcheck hadolint actionlint ansible packer vault consul nomad pulumi buf protoc flutter \
    dart mono dotnet elixir mix iex erl rebar3 cabal stack opa conftest trivy grype syft cosign";

/// Whether there is such a program, as far as is known here. A version at the end of a name does
/// not count: `python3.12`, `gcc-13`.
pub(crate) fn is_known(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let mut all = PROGRAMS
        .split_ascii_whitespace()
        .chain(OTHERS.split_ascii_whitespace());
    all.any(|known| known == name || known == stem)
}
