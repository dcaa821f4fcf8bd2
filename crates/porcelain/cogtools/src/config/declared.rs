//! The variables that tools and sources of a project declare.

use std::collections::BTreeMap;

use cogtools_core::source::Provider;
use cogtools_core::{Config, Context, Diagnostic, Registry, Source};

/// The providers in the user's own configuration.
pub(crate) fn user_sources(config: &Config) -> Vec<String> {
    let providers = config.sources.iter().filter_map(Source::provider);
    let settings = providers.map(Provider::settings);
    let own = settings.filter(|settings| settings.user_configured);
    own.map(|settings| settings.name.clone()).collect()
}

/// The variables that tools and sources declare, with the names of those that do, and the
/// diagnostics of invalid tools. No program is run.
pub(crate) fn declared_names(
    mut config: Config,
) -> (BTreeMap<String, Vec<String>>, Vec<Diagnostic>) {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |names: &[String], by: &str| {
        for name in names {
            declared
                .entry(name.clone())
                .or_default()
                .push(by.to_owned());
        }
    };
    for source in &config.sources {
        if let Source::Provider(provider) = source {
            let settings = provider.settings();
            add(&settings.env, &settings.name);
        }
    }
    config
        .sources
        .retain(|source| !matches!(source, Source::Provider(_)));
    let found = Registry::new(config, None, Context::default()).map(|tool| match tool {
        Ok(tool) => Ok((tool.name().to_string(), tool.env().to_vec())),
        Err(error) => Err(error.diagnostics()),
    });
    let mut diagnostics: Vec<Diagnostic> = found
        .source_errors
        .iter()
        .map(cogtools_core::SourceError::diagnostic)
        .collect();
    for tool in found.items {
        match tool {
            Ok((name, env)) => add(&env, &name),
            Err(errors) => diagnostics.extend(errors.into_iter().take(1)),
        }
    }
    (declared, diagnostics)
}
