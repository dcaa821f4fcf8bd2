//! The server that a source of the project, or of the user, names.

use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::source::{Provider, ProviderError, Source};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::trust::Verdict;
use cogtools_core::{Code, Context, Diagnostic, Hint};
use cogtools_program::project::{cancellable_context, config, project};
use cogtools_program::{Failure, Io};

/// The description of the server of the source `name`. One that requires approval must have it:
/// the login contacts the server.
pub(super) fn description(name: &str, io: &Io<'_>) -> Result<String, Failure> {
    let project = project(io);
    let config = config(&project, io)?;
    let cx = cancellable_context(io, &project, config.env_priority, config.bounds());
    let providers = config.sources.iter().filter_map(|source| match source {
        Source::Provider(provider) => Some(provider),
        _ => None,
    });
    let servers: Vec<&Provider> = providers
        .filter(|provider| provider.settings().server.is_some())
        .collect();
    let named = servers.iter().find(|it| it.settings().name == name);
    let Some(provider) = named else {
        return Err(unknown(name, &servers).into());
    };
    check(provider, &cx)?;
    let server = provider.settings().server.as_ref();
    Ok(server.map_or_else(String::new, |server| server.description.clone()))
}

fn check(provider: &Provider, cx: &Context) -> Result<(), Failure> {
    if !provider.requires_approval(cx) {
        return Ok(());
    }
    let name = provider.settings().name.clone();
    let source = TrustableSource {
        name: name.clone(),
        kind: Kind::Provider(provider.clone()),
    };
    let error = match source.own_verdict(cx) {
        Ok(Verdict::Approved) => return Ok(()),
        Ok(Verdict::Changed) => ProviderError::ApprovalOutdated(name),
        Ok(Verdict::NotApproved) => ProviderError::NotApproved(name),
        Err(diagnostic) => return Err(Failure::from(*diagnostic)),
    };
    Err(error.diagnostic().into())
}

fn unknown(name: &str, servers: &[&Provider]) -> Diagnostic {
    let message = "no source of that name is an MCP server";
    let mut diagnostic = Diagnostic::new(Code::Usage, message).with_subject(name);
    let known = servers.iter().map(|it| it.settings().name.as_str());
    diagnostic
        .hints
        .extend(did_you_mean(name, known).map(Hint::from));
    diagnostic.hint("cogtools config shows all sources")
}
