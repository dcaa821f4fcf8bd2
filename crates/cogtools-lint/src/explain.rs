//! `--explain`.

use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;

use crate::reference::{reference, section};
use crate::rules::{find, rules};

/// The word that stands for all rules.
const ALL: &str = "all";

/// What is to be said of the rule `name`.
pub(crate) fn text(name: &str) -> Result<String, Failure> {
    if name == ALL {
        return Ok(reference());
    }
    find(name).map(section).ok_or_else(|| {
        let diagnostic = Diagnostic::new(Code::Usage, format!("there is no rule `{name}`"))
            .with_subject("--explain");
        let meant = did_you_mean(name, rules().map(|rule| rule.name));
        let diagnostic = match meant {
            Some(meant) => diagnostic.hint(meant),
            None => diagnostic,
        };
        Failure::from(diagnostic.hint("`cogtools lint --explain all` names the rules"))
    })
}
