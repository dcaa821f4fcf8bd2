//! Variables that a project's `.env` may not set, because they make a program run other
//! code, read other settings or talk to other hosts than intended.
//!
//! Anyone who cloned the project and called a tool would run code chosen by its author.
//! A list of names never ends, so these are families of names, each with its reason.

use wildmatch::WildMatch;

/// Why a project's `.env` may not set the variable `name`, as the end of a sentence about it, if it
/// may not. Case is ignored: some programs read lower-case names, and Windows ignores it.
pub fn refusal(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_uppercase();
    let is_in = |patterns: &str| {
        let mut patterns = patterns.split_whitespace();
        patterns.any(|pattern| WildMatch::new(pattern).matches(&name))
    };
    let at = FAMILIES.iter().position(|(_, patterns)| is_in(patterns))?;
    let (reason, patterns) = FAMILIES[at];
    let is_usable = at >= ABSOLUTE && is_in(USABLE) || patterns == SEARCH && is_in(DATA);
    (!is_usable).then_some(reason)
}

/// Returns true if a project's `.env` may not set the variable `name`.
pub fn is_dangerous(name: &str) -> bool {
    refusal(name).is_some()
}

/// The families: the reason, and the patterns. A name that is in several has the first one's reason.
const FAMILIES: [(&str, &str); 11] = [
    ("it configures cogtools or the host", COGTOOLS),
    (
        "the dynamic loader or the C library of every program reads it",
        LOADER,
    ),
    ("the system and every shell depend on it", SYSTEM),
    (
        "it can redirect connections, or change whom they trust",
        NETWORK,
    ),
    (
        "it can change where packages and programs come from",
        PACKAGES,
    ),
    ("it can make an interpreter load other code", INTERPRETER),
    (
        "it can make a compiler, a build or version control run other code",
        BUILD,
    ),
    (
        "it can add options to the command lines of programs",
        OPTIONS,
    ),
    ("it can name a program that others start", PROGRAM),
    (
        "it can change where programs, libraries or modules are found",
        SEARCH,
    ),
    (
        "it can name settings from which programs take commands",
        SETTINGS,
    ),
];

/// The number of families, the first ones, without an exception for names that look like an
/// application's own.
const ABSOLUTE: usize = 3;

/// Names of applications' own secrets and modes, which are usable although a family has
/// them: no program takes code, a path or an address from them.
const USABLE: &str = "\
    *_API_KEY *_TOKEN *_SECRET *_PASSWORD NODE_ENV RUST_LOG RUST_BACKTRACE FEATURE_FLAGS \
    *_SRC";

/// Paths of applications' own data, in which nothing is searched for.
const DATA: &str = "*_FILE_PATH *_DB_PATH *_DATABASE_PATH *_VAULT_PATH";

const COGTOOLS: &str = "\
    COGTOOLS_* _COGTOOLS_* GEMINI_CLI_* GEMINI_SANDBOX* GEMINI_SYSTEM_MD \
    SEATBELT_PROFILE CLAUDE_CODE_* MCP_SERVER_*";

const LOADER: &str = "\
    LD_* DYLD_* _RLD* LDR_* SHLIB_PATH LIBPATH GLIBC_* MALLOC* JE_MALLOC* TCMALLOC* \
    MIMALLOC_* GCONV_PATH LOCPATH NLSPATH RES_OPTIONS HOSTALIASES LOCALDOMAIN RESOLV_* \
    GETCONF_DIR *_PRELOAD* *SAN_OPTIONS";

const SYSTEM: &str = "\
    PATH PATHEXT HOME SHELL IFS ENV PWD OLDPWD INIT_CWD PS0 PS1 PS2 PS4 BASH* SHELLOPTS \
    GLOBIGNORE PROMPT_COMMAND ZSH* ZDOTDIR KSH* FISH_* CDPATH FPATH TMP TEMP *TMPDIR \
    TEMPDIR XDG_* DBUS_* XAUTHORITY ICEAUTHORITY DISPLAY WAYLAND_* TERMINFO* TERMCAP \
    TZDIR SUDO_* SYSTEMD_* COMSPEC SYSTEMROOT SYSTEMDRIVE WINDIR *APPDATA *PROFILE \
    PROGRAMFILES* PROGRAMDATA HOMEDRIVE PSMODULE* PSEXECUTIONPOLICY* __PSLOCKDOWNPOLICY";

const NETWORK: &str = "\
    *PROXY *_CERT* *CA_BUNDLE *_CAFILE *_CA_FILE *_CAINFO SSL* OPENSSL_* GNUTLS_* NSS_* \
    CURL_* *_TLS_REJECT_UNAUTHORIZED *_SSL_VERIFY *_SSL_NO_VERIFY SSH_* KRB5* \
    *_API_BASE OPENAI_*_URL OPENAI_*HOST OPENAI_ENDPOINT AZURE_*ENDPOINT AZURE_*_URL AZURE_*_HOST \
    ANTHROPIC_*_URL BEDROCK_*_URL MISTRAL_*_URL GEMINI_*_URL GOOGLE_*_URL GOOGLE_*_ENDPOINT \
    VERTEX*_URL GROQ_*_URL DEEPSEEK_*_URL XAI_*_URL COHERE_*_URL CO_API_URL TOGETHER_*_URL \
    OPENROUTER_*_URL PERPLEXITY_*_URL FIREWORKS_*_URL OLLAMA_*HOST OLLAMA_*_URL HF_*ENDPOINT \
    LANGCHAIN_ENDPOINT LANGSMITH_ENDPOINT CODE_ASSIST_ENDPOINT AWS_*ENDPOINT* GCE_METADATA_* \
    IDENTITY_ENDPOINT MSI_ENDPOINT VAULT_ADDR GITHUB_*_URL GH_HOST GITLAB_HOST";

const PACKAGES: &str = "\
    NPM_* YARN_* PNPM_* BUN_* COREPACK_* PIP_* PIPX_* PIPENV_* POETRY_* PDM_* HATCH_* \
    UV_* CONDA_* VIRTUAL_ENV* CARGO* RUSTUP_* GEM_* BUNDLE_* BUNDLER_* COMPOSER_* \
    NUGET_* MAVEN_* GRADLE_* HOMEBREW_* NIX_* GUIX_* ASDF_* MISE_* NVM_* FNM_* VOLTA_* \
    PYENV_* RBENV_* SDKMAN_* ELECTRON_* PUPPETEER_* PLAYWRIGHT_* GOPRIVATE GONO* GOSUMDB \
    GOINSECURE GOVCS GOAUTH *INDEX_URL *_REGISTRY *_MIRROR *_DOWNLOAD_HOST \
    *_DOWNLOAD_BASE_URL *_DIST_SERVER";

const INTERPRETER: &str = "\
    NODE_* TS_NODE* TSX_* DENO_* PYTHON* IPYTHON* JUPYTER_* PERL* RUBY* JAVA* _JAVA* \
    JDK* JVM_* LUA* _LUA* PHP* R_* JULIA_* DOTNET_* COR_* CORECLR_* COMPLUS_* MONO_* \
    ERL_* ELIXIR_* MIX_* GUILE_* TCL* OCAML* CAML* GHCRTS GROOVY_* SCALA_* EMACS* VIM* \
    NVIM_* EXINIT GODEBUG GOCOVERDIR *INIT *_INIT_* *_INITRC *STARTUP*";

const BUILD: &str = "\
    RUST* GIT_* HG* SVN_* CVS* GO111MODULE GOROOT* GOTOOL* GOENV GOBIN GOMOD* GOCACHE* \
    GOWORK GOEXPERIMENT GOTMPDIR GO_EXTLINK* CGO_* MAKE* CMAKE_* NINJA_* PKG_CONFIG* CC \
    CXX CPP LD AR AS HOSTCC GCC_* COLLECT_GCC* COMPILER_* CCACHE_* SCCACHE_* DISTCC_* CL \
    _CL_ LINK _LINK_ INCLUDE *_INCLUDE GHC_* STACK_ROOT STACK_YAML CABAL_* OPAM* SBT_* \
    ANT_* BABEL_*";

const OPTIONS: &str = "\
    *_OPTIONS *OPTS *_OPT *OPTIONS *FLAGS *_ARGS TAR_* GZIP BZIP* XZ_* ZIPOPT UNZIP* \
    ZSTD_* GREP_* LESS* MANOPT *ROFFOPT RSYNC_*";

const PROGRAM: &str = "\
    *EDITOR VISUAL *PAGER *BROWSER *SHELL *ASKPASS *_COMMAND *_CMD *_EXEC *_PROG *_RSH \
    *_SSH *_BIN *_BINARY *_EXECUTABLE *_LAUNCHER *_WRAPPER *_HOOKS";

const SEARCH: &str = "\
    *PATH *_PATH_* *LIB *LIBS *_LIBRARIES *_PLUGINS *_PLUGIN_DIR *_MODULES *_MODULE_DIR \
    *_ENGINES GTK* GIO_* GST_* GDK_* QT_* QML* ALSA_* PULSE_* VK_ICD* VK_LAYER* VK_ADD* \
    VK_DRIVER* OCL_ICD* LIBGL_* LIBVA_* GBM_* MESA_* __EGL_* __GLX_*";

const SETTINGS: &str = "\
    *HOME *RC *CONFIG *CONFIG_FILE *_CONFIG_* *CONFIG_DIR *CONFIGDIR *CONFDIR *_CONF \
    *_CREDENTIALS_FILE GOOGLE_APPLICATION_CREDENTIALS GOOGLE_EXTERNAL_ACCOUNT_* ODBC* \
    CLOUDSDK_* GPG* GNUPG* DOCKER_* \
    COMPOSE_* BUILDKIT_* BUILDX_* PODMAN_* CONTAINERS_* KUBE* HELM_* VAGRANT_* ANSIBLE_* \
    TF_CLI_* TF_DATA_DIR DIRENV_* PRE_COMMIT_* HUSKY* PGSERVICEFILE PGSYSCONFDIR PSQL_* \
    AWS_SHARED_* AWS_CONTAINER_* *_TOKEN_FILE PGPASSFILE TNS_ADMIN";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_in_upper_case() {
        for patterns in FAMILIES
            .iter()
            .map(|(_, patterns)| *patterns)
            .chain([USABLE, DATA])
        {
            assert_eq!(patterns, patterns.to_ascii_uppercase());
        }
    }
}
