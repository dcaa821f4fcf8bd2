//! `cogtools-lint`: checks tool files for what hosts reject, drop or misread; and `cogtools-lsp`,
//! which does so in an editor.
//!
//! A rule is a value: its name, why it matters, how to fix a finding, and a failing
//! and a passing project, which are its tests and its documentation.

mod command;
mod contradiction;
mod finding;
mod fix;
mod flow;
mod js_analysis;
mod js_types;
mod json_keys;
mod lint_file;
mod linter;
mod output;
mod parameter_types;
mod program;
mod reference;
mod rules;
mod secret;
mod server;
mod target;
mod tool_script;

pub use command::PROGRAM;
pub use finding::{Edit, Finding};
pub use lint_file::LintFile;
pub use linter::Linter;
pub use reference::reference;
pub use rules::{RETIRED_RULES, find, rules};
pub use secret::all as secrets;
pub use server::PROGRAM as LSP;

pub use crate::linter::{CaseFile, Example, Levels, Rule};
