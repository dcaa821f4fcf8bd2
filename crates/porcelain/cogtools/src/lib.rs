//! The package to install: `cogtools`, which contains every program, and finds and starts
//! programs of others.
//!
//! Each binary is one statement. Those in `src/bin` are separate programs; those in `src/stub`
//! replace links where links are not possible, and run `cogtools NAME`.

pub mod completions;
pub mod config;
mod dispatch;
pub mod docs;
pub mod expand;
mod help;
pub mod json;
pub mod list;
mod locate;
pub mod lock;
pub mod manual;
pub mod new;
pub mod packages;
pub mod run;
pub mod schema;
pub mod trust;
mod welcome;
mod words;

use cogtools_program::Program;
pub use dispatch::PROGRAM;

/// Every program of this package, `cogtools` itself first.
pub const PROGRAMS: [&Program; 31] = [
    &PROGRAM,
    &packages::ADD,
    &cogtools_ask::PROGRAM,
    &cogtools_call::PROGRAM,
    &completions::PROGRAM,
    &config::PROGRAM,
    &cogtools_discover::PROGRAM,
    &docs::PROGRAM,
    &cogtools_doctor::PROGRAM,
    &cogtools_editor::PROGRAM,
    &expand::PROGRAM,
    &cogtools_flow::PROGRAM,
    &cogtools_init::PROGRAM,
    &cogtools_js::PROGRAM,
    &json::PROGRAM,
    &cogtools_lint::PROGRAM,
    &list::PROGRAM,
    &lock::PROGRAM,
    &cogtools_mcp::PROGRAM,
    &cogtools_mcp::CLIENT,
    &new::PROGRAM,
    &cogtools_plan::PROGRAM,
    &packages::REMOVE,
    &run::PROGRAM,
    &schema::PROGRAM,
    &packages::SEARCH,
    &cogtools_session::PROGRAM,
    &cogtools_test::PROGRAM,
    &trust::PROGRAM,
    &cogtools_ui::PROGRAM,
    &cogtools_yaml::PROGRAM,
];

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
    PROGRAMS
        .into_iter()
        .filter_map(|program| Some((program.name.strip_prefix(PREFIX)?, program)))
}
