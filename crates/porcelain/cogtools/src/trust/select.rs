//! The sources that a command line names.

use cogtools_core::approval::TrustableSource;
use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic, Hint};
use cogtools_program::Failure;

/// The sources of `all` with one of `names`.
pub(crate) fn select<'s>(
    names: &[String],
    all: &'s [TrustableSource],
) -> Result<Vec<&'s TrustableSource>, Failure> {
    let mut selected: Vec<&TrustableSource> = Vec::new();
    let mut diagnostics = Vec::new();
    for name in names {
        let found: Vec<&TrustableSource> = all.iter().filter(|it| it.is_named(name)).collect();
        match found.as_slice() {
            [] => diagnostics.push(unknown(name, all)),
            [one] if selected.iter().any(|other| std::ptr::eq(*other, *one)) => {}
            [one] => selected.push(one),
            several => diagnostics.push(ambiguous(name, several)),
        }
    }
    if diagnostics.is_empty() {
        Ok(selected)
    } else {
        Err(diagnostics.into())
    }
}

fn unknown(name: &str, all: &[TrustableSource]) -> Diagnostic {
    let message = "no source of that name requires approval here";
    let mut diagnostic = Diagnostic::new(Code::Usage, message).with_subject(name);
    let known = all.iter().map(|subject| subject.name.as_str());
    diagnostic
        .hints
        .extend(did_you_mean(name, known).map(Hint::from));
    diagnostic.hint("cogtools trust --list lists those that do")
}

fn ambiguous(name: &str, several: &[&TrustableSource]) -> Diagnostic {
    let names: Vec<String> = several
        .iter()
        .map(|subject| format!("`{}`", subject.qualified_name()))
        .collect();
    let message = format!("the name is ambiguous: {}", names.join(" or "));
    Diagnostic::new(Code::Usage, message)
        .with_subject(name)
        .hint("review and approve each by its whole name")
}
