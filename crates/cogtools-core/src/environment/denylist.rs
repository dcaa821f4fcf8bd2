//! Variables that make a program run other code than intended.
//!
//! A file in a repository must not set them: anyone who cloned it and called a tool
//! would run code chosen by its author.

/// Exact names, in upper case.
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

/// Prefixes of names that are dangerous whatever follows.
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

/// Whether a project's `.env` may not set the variable `name`. Case is ignored, as on
/// Windows.
pub fn is_dangerous(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str()) || PREFIXES.iter().any(|begin| name.starts_with(begin))
}
