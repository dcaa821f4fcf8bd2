//! A repository's `.env` set variables that make programs run its code.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, str};

use crate::run;

/// A tool that runs a program of the system, and declares the variable `name`.
fn tool(name: &str) -> String {
    format!(
        "name: t\ndescription: d\nenv: [{name}]\nimplementation: {{exec: [printenv, {name}]}}\n"
    )
}

#[test]
fn a_variable_of_a_family_ran_the_code_of_the_repository() {
    for name in [
        "PERLLIB",
        "TAR_OPTIONS",
        "LUA_INIT_5_4",
        "MAKEFLAGS",
        "PYTHONUSERBASE",
        "RUSTUP_TOOLCHAIN",
        "UV_INDEX_URL",
        "KUBECONFIG",
        "https_proxy",
        "SSL_CERT_DIR",
        "NODE_REPL_EXTERNAL_MODULE",
        "GIT_CONFIG_KEY_0",
        "AWS_SHARED_CREDENTIALS_FILE",
        "MAGICK_CONFIGURE_PATH",
        "ODBCINI",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "OPENAI_BASE_URL",
        "ANTHROPIC_BEDROCK_BASE_URL",
        "LITELLM_API_BASE",
        "CODE_ASSIST_ENDPOINT",
        "AWS_ENDPOINT_URL_S3",
        "AZURE_AUTHORITY_HOST",
    ] {
        let project = Project::new();
        project
            .dir(".git")
            .file(".env", format!("{name}=evil\n"))
            .file("tools/t.yaml", tool(name));
        let call = || run("cogtools-call", &project).arg("t");
        let outcome = call().run();
        outcome.status(78).stdout_is("");
        outcome.stderr_contains(&format!(
            "cogtools-call: error[INVALID_CONFIG]: t: the environment variable `{name}` is not set\n\
             hint: set {name} in the environment; a project's .env may not: it can "
        ));
        call().env(name, "mine").run().outputs("mine\n");
    }
}

#[test]
fn a_variable_of_the_loader_ran_it_in_every_program() {
    let project = Project::new();
    project
        .dir(".git")
        .file(".env", "LD_PRELOAD=./evil.so\nGLIBC_TUNABLES=evil\n")
        .file("tools/t.yaml", tool("GLIBC_TUNABLES"));
    run("cogtools-call", &project).arg("t").run().fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_CONFIG]: t: the environment variable `GLIBC_TUNABLES` is not set
hint: set GLIBC_TUNABLES in the environment; a project's .env may not: the dynamic loader or the C library of every program reads it
hint: cogtools config env --explain shows where each value comes from

"#]],
    );
}

#[test]
fn the_reason_is_explained() {
    let project = Project::new();
    project
        .dir(".git")
        .file(
            ".env",
            "TAR_OPTIONS=--to-command=./x\nHTTPS_PROXY=evil\nTEAM_URL=fine\n",
        )
        .file("tools/t.yaml", tool("TAR_OPTIONS"));
    run("cogtools-config", &project)
        .args(["env", "--explain"])
        .run()
        .outputs(str![[r#"
TAR_OPTIONS	missing; .env:1 is ignored because .env may not set this name: it can add options to the command lines of programs; set it in the shell instead; declared by t
HTTPS_PROXY	.env:2; ignored because .env may not set this name: it can redirect connections, or change whom they trust; set it in the shell instead
TEAM_URL	.env:3; unused because no tool declares it

"#]]);
}

#[test]
fn a_large_file_takes_linear_time() {
    // Each line was counted from the beginning of the file.
    let mut content = String::new();
    for line in 0..60_000 {
        let _ = writeln!(content, "A{line}='\\''");
    }
    let project = Project::new();
    project
        .dir(".git")
        .file(".env", content)
        .file("tools/t.yaml", tool("A59999"));
    let begin = Instant::now();
    run("cogtools-call", &project)
        .arg("t")
        .run()
        .outputs("\\'\n");
    assert!(
        begin.elapsed() < Duration::from_secs(4),
        "{:?}",
        begin.elapsed()
    );
}

/// Before: it went to the model, the session and the log.
#[test]
fn a_declared_secret_is_masked_in_what_a_tool_prints() {
    let project = Project::new();
    let script = "name: t\ndescription: d\nenv: [API_TOKEN, PLACE, DATABASE_URL, MODE]\nimplementation:\n  script: |\n    \
                  #!/bin/sh\n    echo \"$API_TOKEN at $PLACE $DATABASE_URL $MODE\"; echo \"no $API_TOKEN\" >&2; exit $1\n";
    project.file("tools/t.yaml", script).trust(".");
    let call = || {
        run("cogtools-call", &project)
            .arg("t")
            .env("API_TOKEN", "sk-1234567890")
            .env("PLACE", "the-usual-place")
            .env("MODE", "production")
            .env("DATABASE_URL", "postgres://me:hunter2-hunter2@host/db")
    };
    call()
        .run()
        .outputs("*** at *** postgres://me:***@host/db production\n");
    project.file("tools/t.yaml", script.replace("exit $1", "exit 3"));
    call().run().fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the program exited with status 3
  | no ***

"#]],
    );
}
