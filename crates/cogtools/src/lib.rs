//! The package that people install: `cogtools`, which has every program in it, and
//! finds and becomes those of others.
//!
//! Each binary is one statement. Those in `src/bin` are programs of their own;
//! those in `src/stub` are for places without links, and become `cogtools NAME`.

mod dispatch;
mod help;
mod locate;
pub mod manual;

use cogtools_program::Program;
pub use dispatch::PROGRAM;

/// Every program of this package, `cogtools` itself first.
pub const PROGRAMS: [&Program; 18] = [
    &PROGRAM,
    &cogtools_call::PROGRAM,
    &cogtools_config::PROGRAM,
    &cogtools_discover::PROGRAM,
    &cogtools_docs::PROGRAM,
    &cogtools_doctor::PROGRAM,
    &cogtools_expand::PROGRAM,
    &cogtools_init::PROGRAM,
    &cogtools_lint::PROGRAM,
    &cogtools_list::PROGRAM,
    &cogtools_lock::PROGRAM,
    &cogtools_mcp::PROGRAM,
    &cogtools_mcp_client::PROGRAM,
    &cogtools_new::PROGRAM,
    &cogtools_schema::PROGRAM,
    &cogtools_test::PROGRAM,
    &cogtools_trust::PROGRAM,
    &cogtools_yaml::PROGRAM,
];

/// What comes before a program's own name in the names of binaries.
const PREFIX: &str = "cogtools-";

/// The program of this package that `cogtools NAME` means.
fn built_in(name: &str) -> Option<&'static Program> {
    let found = built_ins().find(|(built_in, _)| *built_in == name);
    found.map(|(_, program)| program)
}

/// The names that `cogtools NAME` always understands as this package's own.
fn built_ins() -> impl Iterator<Item = (&'static str, &'static Program)> {
    let names = PROGRAMS.into_iter();
    names.filter_map(|program| Some((program.name.strip_prefix(PREFIX)?, program)))
}
