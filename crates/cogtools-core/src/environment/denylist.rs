//! Variables that make a program run other code than the one it was asked to.
//!
//! A file that comes with a repository must not set them: whoever checks it out
//! and calls a tool would run what its author likes.

/// Names, in upper case.
const NAMES: &[&str] = &[
    "PATH",
    "PATHEXT",
    "HOME",
    "SHELL",
    "COMSPEC",
    "SYSTEMROOT",
    "WINDIR",
    "IFS",
    "ENV",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "PROMPT_COMMAND",
    "PS4",
    "ZDOTDIR",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "LESSOPEN",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "TMPDIR",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "PYTHONBREAKPOINT",
    "PYTHONINSPECT",
    "PERL5LIB",
    "PERL5OPT",
    "PERL5DB",
    "RUBYLIB",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "CLASSPATH",
    "LUA_INIT",
    "LUA_PATH",
    "LUA_CPATH",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "DOTNET_STARTUP_HOOKS",
    "R_PROFILE",
    "R_ENVIRON",
    "OPENSSL_CONF",
    "SSLKEYLOGFILE",
];

/// How names begin that are as bad whatever follows.
const PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "NPM_CONFIG_",
    "CARGO_",
    "RUSTC",
    "COGTOOLS_",
    "BASH_FUNC_",
    "COR_",
    "CORECLR_",
];

/// Whether a project's `.env` never sets the variable `name`. Case does not
/// count: it does not on Windows.
pub fn is_dangerous(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str()) || PREFIXES.iter().any(|begin| name.starts_with(begin))
}
