//! The package to install: `cogtools`, which contains every program, and finds and starts
//! programs of others.
//!
//! Each binary is one statement. Most programs are links to `cogtools`, and those that hosts start
//! for every call are links to `cogtools-call`, which links no runtime. Where links are not
//! possible, copies of `cogtools-stub` run `cogtools NAME`.

pub mod completions;
pub mod config;
mod dispatch;
pub mod docs;
pub mod expand;
pub mod http;
pub mod import;
pub mod json;
pub mod list;
mod locate;
pub mod lock;
pub mod manual;
pub mod new;
pub mod package;
pub mod packages;
pub mod run;
pub mod schema;
pub mod skill;
pub mod trust;

use std::sync::LazyLock;

use cogtools_program::Program;
pub use dispatch::PROGRAM;

/// The built-in programs by their purposes, in the order of `cogtools --help`.
pub const GROUPS: &[(&str, &[&Program])] = &[
    (
        "Start a project",
        &[
            &cogtools_init::PROGRAM,
            &new::PROGRAM,
            &packages::ADD,
            &packages::REMOVE,
            &packages::SEARCH,
        ],
    ),
    (
        "Write and check tools",
        &[
            &list::PROGRAM,
            &run::PROGRAM,
            &expand::PROGRAM,
            &cogtools_lint::PROGRAM,
            &cogtools_lint::LSP,
            &cogtools_test::PROGRAM,
            &docs::PROGRAM,
            &skill::PROGRAM,
            &package::PROGRAM,
            &import::PROGRAM,
            &schema::PROGRAM,
        ],
    ),
    (
        "Set up and protect",
        &[
            &config::PROGRAM,
            &trust::PROGRAM,
            &lock::PROGRAM,
            &cogtools_doctor::PROGRAM,
            &cogtools_editor::PROGRAM,
            &completions::PROGRAM,
        ],
    ),
    (
        "Ask models",
        &[
            &cogtools_ask::PROGRAM,
            &cogtools_eval::PROGRAM,
            &cogtools_flow::PROGRAM,
            &cogtools_flow::plan::PROGRAM,
            &cogtools_flow::code::PROGRAM,
            &cogtools_session::PROGRAM,
            &cogtools_ui::PROGRAM,
            &json::PROGRAM,
        ],
    ),
    (
        "Serve hosts",
        &[
            &cogtools_discover::PROGRAM,
            &cogtools_call::PROGRAM,
            &cogtools_yaml::PROGRAM,
            &cogtools_mcp::PROGRAM,
            &cogtools_mcp::CLIENT,
            &cogtools_js::PROGRAM,
            &http::PROGRAM,
        ],
    ),
];

/// Every program of this package, `cogtools` itself first.
pub static PROGRAMS: LazyLock<Vec<&Program>> = LazyLock::new(|| {
    let grouped = GROUPS.iter().flat_map(|(_, programs)| *programs);
    std::iter::once(&PROGRAM).chain(grouped.copied()).collect()
});

/// The prefix of the names of binaries.
const PREFIX: &str = "cogtools-";

/// The built-in program of `cogtools NAME`.
fn built_in(name: &str) -> Option<&'static Program> {
    built_ins()
        .find(|(built_in, _)| *built_in == name)
        .map(|(_, program)| program)
}

/// The built-in programs, with their names in `cogtools NAME`.
fn built_ins() -> impl Iterator<Item = (&'static str, &'static Program)> {
    let programs = PROGRAMS.iter();
    programs.filter_map(|program| Some((program.name.strip_prefix(PREFIX)?, *program)))
}
