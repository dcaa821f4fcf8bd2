//! The environment variables that a tool sees.

mod dotenv;

use std::path::Path;

use cogtools_core::environment::{Unread, Vars, is_dangerous, refusal};
use cogtools_core::{EnvPriority, Environment};
use cogtools_test_support::{Project, assert_text, str};

use crate::support::render;

fn vars(pairs: &[(&str, &str)]) -> Vars {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// The variables of a tool in `project`, called from its folder `from`.
fn child_env(
    project: &Project,
    from: &str,
    process: &[(&str, &str)],
    priority: EnvPriority,
    names: &[&str],
) -> String {
    let environment = Environment::new(vars(process));
    let environment = environment.with_dotenv(
        &project.path(from),
        &project.root(),
        Path::new("shown"),
        priority,
    );
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    match environment.child_env(&names) {
        Ok(variables) => {
            let pairs = variables.iter();
            let pairs: Vec<String> = pairs
                .map(|(name, value)| format!("{}={}", name.display(), value.display()))
                .collect();
            pairs.join(" ")
        }
        Err(error) => {
            assert!(!format!("{error:?}").contains("secret"));
            render(&[error.diagnostic()])
        }
    }
}

#[test]
fn the_priority_decides_whose_value_wins() {
    let project = Project::new();
    project.file(".env", "BOTH=file\nFILE=file\n");
    let process = [
        ("BOTH", "process"),
        ("PROCESS", "process"),
        ("PATH", "/bin"),
    ];
    for (priority, names, expected) in [
        (
            EnvPriority::Project,
            &["BOTH"][..],
            str!["BOTH=file PATH=/bin"],
        ),
        (
            EnvPriority::Process,
            &["BOTH"],
            str!["BOTH=process PATH=/bin"],
        ),
        (
            EnvPriority::ProcessOnly,
            &["BOTH"],
            str!["BOTH=process PATH=/bin"],
        ),
        (
            EnvPriority::Project,
            &["FILE", "PROCESS"],
            str!["FILE=file PATH=/bin PROCESS=process"],
        ),
        (
            EnvPriority::Process,
            &["FILE", "PROCESS"],
            str!["FILE=file PATH=/bin PROCESS=process"],
        ),
        (EnvPriority::Project, &[], str!["PATH=/bin"]),
        (
            EnvPriority::ProcessOnly,
            &["FILE"],
            str![[r#"
error[INVALID_CONFIG]: the environment variable `FILE` is not set
hint: set FILE in the environment, or add a line `FILE=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
        ),
        (
            EnvPriority::Project,
            &["ONE", "BOTH", "TWO"],
            str![[r#"
error[INVALID_CONFIG]: the environment variables `ONE`, `TWO` are not set
hint: set ONE in the environment, or add a line `ONE=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
        ),
    ] {
        let found = child_env(&project, "", &process, priority, names);
        assert_text(found, expected);
    }
}

#[test]
fn the_nearest_dotenv_file_up_to_the_root_is_read() {
    let project = Project::new();
    project
        .file("../.env", "A=above the root\n")
        .file(".env", "A=root\nB=root\n")
        .file("src/.env", "A=src\n")
        .dir("src/deep")
        .dir("other/.env");
    let project_given = |from, name| child_env(&project, from, &[], EnvPriority::Project, &[name]);
    assert_eq!(project_given("", "A"), "A=root");
    assert_eq!(project_given("src", "A"), "A=src");
    assert_eq!(project_given("src/deep", "A"), "A=src");
    assert_eq!(project_given("other", "A"), "A=root");
    // Only the nearest file is read; files are not merged.
    assert_text(
        project_given("src", "B"),
        str![[r#"
error[INVALID_CONFIG]: the environment variable `B` is not set
hint: set B in the environment, or add a line `B=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
    );
    // Outside the project, the root's file is read.
    assert_eq!(project_given("../elsewhere", "A"), "A=root");
    project.remove(".env");
    assert_text(
        project_given("", "A"),
        str![[r#"
error[INVALID_CONFIG]: the environment variable `A` is not set
hint: set A in the environment, or add a line `A=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
    );
}

#[test]
fn the_error_of_an_invalid_file_does_not_show_its_content() {
    let project = Project::new();
    project.file("src/.env", "A=1\nsecret\n");
    let found = child_env(&project, "src", &[("A", "1")], EnvPriority::Project, &["A"]);
    let location = Path::new("shown").join("src").join(".env");
    assert_eq!(
        found,
        format!(
            "error[INVALID_CONFIG]: {}:2: not a line of the form NAME=value\n\
             hint: write NAME=value, or put a # before the line\n",
            location.display()
        )
    );
    // The file is not read if no variable is requested.
    assert_eq!(
        child_env(&project, "src", &[("A", "1")], EnvPriority::Project, &[]),
        ""
    );
    assert_eq!(
        child_env(
            &project,
            "src",
            &[("A", "1")],
            EnvPriority::ProcessOnly,
            &["A"]
        ),
        "A=1"
    );
}

/// Names that a project's `.env` may not set, and the reasons.
const REFUSED: &[(&str, &str)] = &[
    (
        "the system and every shell depend on it",
        "PATH Path HOME IFS ENV BASH_ENV BASH_FUNC_ls SHELLOPTS TMPDIR SQLITE_TMPDIR ZDOTDIR XDG_CONFIG_HOME DBUS_SESSION_BUS_ADDRESS PWD AWS_PROFILE ComSpec",
    ),
    (
        "the dynamic loader or the C library of every program reads it",
        "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GLIBC_TUNABLES MALLOC_CONF GCONV_PATH ASAN_OPTIONS HOSTALIASES RES_OPTIONS",
    ),
    (
        "it can make an interpreter load other code",
        "NODE_OPTIONS NODE_PATH TS_NODE_COMPILER PYTHONPATH PYTHONUSERBASE PYTHONSTARTUP PERLLIB PERL5OPT PERL5DB RUBYOPT RUBYLIB LUA_INIT LUA_INIT_5_4 LUA_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS PHPRC R_PROFILE_USER JULIA_LOAD_PATH DOTNET_STARTUP_HOOKS VIMINIT EXINIT",
    ),
    (
        "it can change where programs, libraries or modules are found",
        "CLASSPATH MANPATH MY_PATH LIB MY_LIBS GTK_MODULES QT_PLUGIN_PATH PATH_PATH",
    ),
    (
        "it can add options to the command lines of programs",
        "TAR_OPTIONS GREP_OPTIONS LESSOPEN MY_OPTS MFLAGS CFLAGS GZIP ZIPOPT",
    ),
    (
        "it can name a program that others start",
        "EDITOR VISUAL MY_EDITOR PAGER MANPAGER BROWSER MY_ASKPASS FZF_DEFAULT_COMMAND CHROME_BIN MAN_SHELL",
    ),
    (
        "it can make a compiler, a build or version control run other code",
        "MAKEFLAGS MAKEFILES GIT_SSH_COMMAND GIT_CONFIG_COUNT RUSTFLAGS RUSTC_WRAPPER CC PKG_CONFIG_PATH GOROOT CMAKE_TOOLCHAIN_FILE HGRCPATH GIT_FILE_PATH",
    ),
    (
        "it can change where packages and programs come from",
        "npm_config_script_shell NPM_CONFIG_REGISTRY PIP_INDEX_URL UV_INDEX_URL MY_INDEX_URL CARGO_HOME RUSTUP_TOOLCHAIN YARN_RC_FILENAME MY_REGISTRY GEM_HOME BUNDLE_GEMFILE GOSUMDB",
    ),
    (
        "it can redirect connections, or change whom they trust",
        "http_proxy HTTPS_PROXY ALL_PROXY NO_PROXY GOPROXY SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE OPENSSL_CONF CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS SSH_AUTH_SOCK",
    ),
    (
        "it can name settings from which programs take commands",
        "KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE DOCKER_HOST DOCKER_CONFIG GNUPGHOME WGETRC INPUTRC STARSHIP_CONFIG MPLCONFIGDIR CLOUDSDK_PYTHON MYSQL_HOME",
    ),
    (
        "it configures cogtools or the host",
        "COGTOOLS_TOOL_SOURCES COGTOOLS_X_TOKEN _COGTOOLS_WITHIN GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    ),
];

/// Names of applications' own settings.
const USABLE: &str = "API_KEY TEAM_URL DATABASE_URL TOKEN PORT DEBUG LOG_LEVEL HOST \
    GEMINI_API_KEY GITHUB_TOKEN NPM_TOKEN CARGO_REGISTRY_TOKEN DOCKER_PASSWORD JWT_SECRET \
    PATHS LDAP_URL HOMEPAGE CITY NODE_ENV GOOGLE_CLOUD_PROJECT DB_INITIALS IMG_SRC \
    FEATURE_FLAGS PGHOST PGPASSWORD AWS_ACCESS_KEY_ID AWS_REGION TZ LANG USER \
    MEMORY_FILE_PATH SQLITE_DB_PATH APP_DATABASE_PATH OBSIDIAN_VAULT_PATH";

#[test]
fn a_file_never_sets_dangerous_variables() {
    let project = Project::new();
    for (reason, names) in REFUSED {
        for name in names.split_whitespace() {
            let found = refusal(name);
            assert_eq!(found, Some(*reason), "{name}");
            project.file(".env", format!("{name}=secret\n"));
            let found = child_env(&project, "", &[], EnvPriority::Project, &[name]);
            assert!(found.contains(&format!("`{name}` is not set")), "{found}");
            let process = [(name, "mine")];
            let found = child_env(&project, "", &process, EnvPriority::Project, &[name]);
            assert_eq!(found, format!("{name}=mine"));
        }
    }
    for name in USABLE.split_whitespace() {
        assert_eq!(refusal(name), None, "{name}");
        assert!(!is_dangerous(name), "{name}");
    }
}

#[test]
fn a_disabled_file_is_not_read_and_the_error_says_why() {
    let project = Project::new();
    let environment = || {
        Environment::new(vars(&[("PROCESS", "process")]))
            .with_dotenv(
                &project.root(),
                &project.root(),
                Path::new(""),
                EnvPriority::Project,
            )
            .without_dotenv(Unread::Untrusted)
    };
    let missing = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let found = environment()
            .child_env(&names)
            .map_err(|error| error.diagnostic());
        found.map_or_else(|error| render(&[error]), |found| format!("{found:?}"))
    };
    // Without a file, there is nothing else to say.
    assert_text(
        missing(&["KEY"]),
        str![[r#"
error[INVALID_CONFIG]: the environment variable `KEY` is not set
hint: set KEY in the environment, or add a line `KEY=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
    );
    project.file(".env", "KEY=file\nPROCESS=file\n");
    assert_text(missing(&["PROCESS"]), str![[r#"{"PROCESS": "process"}"#]]);
    assert_text(
        missing(&["KEY", "PROCESS"]),
        str![[r#"
error[INVALID_CONFIG]: the environment variable `KEY` is not set: the project's .env is not read, because this folder is not trusted yet
hint: to read it, trust the project: TrustProject(None)

"#]],
    );
    assert!(environment().file().is_ok_and(|file| file.is_none()));
}

#[test]
fn debug_output_contains_no_values() {
    let environment = Environment::new(vars(&[("TOKEN", "secret")]));
    let shown = format!("{environment:?}");
    assert!(
        shown.contains("TOKEN") && !shown.contains("secret"),
        "{shown}"
    );
    let seen = environment.lookup("TOKEN", None).expect("it is set");
    assert_eq!(seen.value, "secret");
    assert!(seen.line.is_none() && !seen.shadows);
}

#[test]
fn temporary_files_go_to_an_absolute_tmpdir_or_tmp() {
    for (process, expected) in [
        (&[("TMPDIR", "/scratch")][..], "/scratch"),
        (&[("TMPDIR", "relative")], "/tmp"),
        (&[("TMPDIR", "")], "/tmp"),
        (&[], "/tmp"),
    ] {
        let environment = Environment::new(vars(process));
        assert_eq!(environment.temp_dir(), Path::new(expected), "{process:?}");
    }
}
