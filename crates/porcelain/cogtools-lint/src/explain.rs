//! `--explain`.

use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic};
use cogtools_program::Failure;

use crate::reference::{reference, section};
use crate::rules::{find, rules};

/// The argument that selects all rules.
const ALL: &str = "all";

/// The explanation of the rule `name`, or of all rules.
pub(crate) fn explanation(name: &str) -> Result<String, Failure> {
    if name == ALL {
        return Ok(reference());
    }
    find(name).map(section).ok_or_else(|| {
        let diagnostic = Diagnostic::new(Code::Usage, format!("there is no rule `{name}`"))
            .with_subject("--explain");
        let suggestion = did_you_mean(name, rules().map(|rule| rule.name));
        let diagnostic = match suggestion {
            Some(suggestion) => diagnostic.hint(suggestion),
            None => diagnostic,
        };
        Failure::from(diagnostic.hint("`cogtools lint --explain all` lists the rules"))
    })
}
