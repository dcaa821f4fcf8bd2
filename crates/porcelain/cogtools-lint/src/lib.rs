//! `cogtools-lint`: checks tool files for what hosts reject, drop or misread.
//!
//! A rule is a value: its name, why it matters, how to fix a finding, and a failing
//! and a passing project, which are its tests and its documentation.

mod builtin_tools;
mod command;
mod contradiction;
mod finding;
mod fix;
mod flow;
mod included_templates;
mod js_analysis;
mod levels;
mod lint_file;
mod linter;
mod neighbours;
mod output;
mod parameter_types;
mod program;
mod reference;
mod rule;
mod rules;
mod secret;
mod suppression;
mod target;
mod tool_script;
mod type_check;

pub use command::PROGRAM;
pub use finding::{Edit, Finding};
pub use levels::Levels;
pub use lint_file::LintFile;
pub use linter::Linter;
pub use reference::reference;
pub use rule::{CaseFile, Example, Rule};
pub use rules::{find, rules};
