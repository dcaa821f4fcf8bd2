//! All tools of a project; every lookup goes through this module.

mod call;
mod found;
mod values;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::thread;

pub use call::{Call, Limit, at_once, load_all, parallel};
pub use found::{Found, Shadowed};
use serde_json::{Map, Value};

use crate::approval::approve;
use crate::arguments::Arguments;
use crate::lock::LockedTools;
pub use crate::registry::call::{FindError, Loaded};
use crate::resident::most_at_once;
use crate::search::search;
use crate::source::{
    Candidate, FileNames, Listing, Offer, Plugin, Provider, SkillFolder, Skills, Source,
    SourceError, list_all,
};
use crate::tool::{
    Annotations, Definition, Foreign, Provenance, RunError, ToolCall, ToolError, ToolOutput,
};
use crate::{
    Budget, Config, Context, Diagnostic, Filter, ListWait, Name, Pattern, Target, Tool, Uses, json,
};

/// The tools of a project, by source.
#[derive(Clone, Debug)]
pub struct Registry {
    sources: Vec<Source>,
    filters: Vec<Filter>,
    budget: Option<Budget>,
    /// True if calls are counted: there is a budget, also one that an option has set.
    pub counts_uses: bool,
    cx: Context,
    /// The only tools that are admitted, if they are pinned.
    pub locked: Option<Arc<LockedTools>>,
    /// True if the values of enums are listed anew, whatever is pinned or cached.
    pub renews_values: bool,
    /// Errors of the configuration, parts of which were left out.
    pub config_errors: Vec<Diagnostic>,
    /// Other names of capabilities, each with the capability.
    pub capability_aliases: BTreeMap<String, String>,
}

impl Registry {
    /// Makes the registry of a configuration, for `host` if the caller is known. Only sources
    /// that are programs use `cx`.
    pub fn new(config: Config, host: Option<Target>, cx: Context) -> Self {
        let host_filter = host.and_then(|host| config.host(host).cloned());
        let budget = config.budget(host);
        let filters = std::iter::once(config.filter).chain(host_filter);
        let files = FileNames::of(&config.sources);
        let beside = |source| match source {
            Source::Provider(provider) => Source::Provider(provider.beside(files.clone())),
            source => source,
        };
        Self {
            filters: filters.filter(|filter| !filter.is_empty()).collect(),
            sources: config.sources.into_iter().map(beside).collect(),
            capability_aliases: config.options.capability_aliases,
            counts_uses: budget.is_some(),
            budget,
            cx,
            locked: None,
            renews_values: false,
            config_errors: Vec::new(),
        }
    }

    /// Adds the tools that read the skills in `folders`, for an agent.
    #[must_use]
    pub fn with_skills(mut self, folders: Vec<SkillFolder>) -> Self {
        let skills = Skills::new(folders, |tool, arguments, cx| {
            let accepted = tool.accept(arguments);
            let accepted = accepted.map_err(|error| Diagnostic::merge(error.diagnostics(&tool)))?;
            approve(tool, cx)?.run(accepted, cx)
        });
        self.sources.push(Source::Skills(skills));
        self
    }

    /// The plugins among the sources.
    pub fn plugins(&self) -> impl Iterator<Item = &Plugin> {
        self.sources.iter().filter_map(|source| match source {
            Source::Plugin(plugin) => Some(plugin),
            _ => None,
        })
    }

    /// The skills that agents may use.
    pub fn skills(&self) -> Option<&Skills> {
        self.sources.iter().find_map(|source| match source {
            Source::Skills(skills) => Some(skills),
            _ => None,
        })
    }

    /// The budget of all declarations, if one is set.
    pub const fn budget(&self) -> Option<Budget> {
        self.budget
    }

    /// The calls by tool that are counted while there is a budget.
    pub fn uses(&self) -> Uses {
        Uses::of(self.cx.state.as_deref())
    }

    /// Returns the two tools that give access to all others, which are never listed.
    pub fn search_tools(&self) -> Result<Vec<Tool>, FindError> {
        let tools = Name::RESERVED.into_iter().map(|name| self.find(name));
        tools.collect()
    }

    /// Finds the tool of that name. It opens `<name>.yaml` in each source until one has
    /// it, and nothing else; names are compared only if none has it.
    pub fn find(&self, name: &str) -> Result<Tool, FindError> {
        if let Some(tool) = tool(name, self) {
            return Ok(tool);
        }
        let valid =
            Name::new(name).map_err(|error| FindError::InvalidName(name.to_owned(), error))?;
        // The sources that would have to be asked first come last, and all at once.
        let is_known = |source: &&Source| {
            let provider = source.provider();
            provider.is_none_or(|it| it.may_know(valid.as_str(), &self.cx))
        };
        let (known, unknown): (Vec<&Source>, Vec<&Source>) =
            self.sources.iter().partition(is_known);
        let rest = std::iter::once_with(|| {
            let providers = unknown.iter().filter_map(|it| it.provider());
            self.ask(&providers.collect::<Vec<_>>(), most_at_once());
            unknown.clone()
        });
        let mut sources = known.into_iter().chain(rest.flatten());
        let find = |source: &Source| source.find(&valid, &self.cx).transpose();
        let found = sources.find_map(find).or_else(|| {
            let mut providers = self.providers();
            providers.find_map(|it| it.find_beside(&valid, &self.cx).transpose())
        });
        let found = found.transpose().map_err(FindError::Invalid)?;
        let missing = || self.explain_missing(&valid);
        let tool = found.ok_or_else(|| FindError::NotFound(missing()))?;
        if self.is_selected(valid.as_str(), tool.provenance.toolset.as_deref()) {
            return self.admit(tool).map_err(FindError::Invalid);
        }
        let mut not_found = missing();
        not_found.filtered_out = Some(tool.file().to_path_buf());
        Err(FindError::NotFound(not_found))
    }

    /// Lists the offers of all MCP servers, in the order of sources; also why some are missing. One
    /// whose tools are missing has none. With `only_cached`, nothing is started.
    pub fn offers(&self, only_cached: bool) -> (Vec<Offer>, Vec<SourceError>) {
        let mut cx = self.cx.clone();
        cx.list.cached_only |= only_cached;
        let servers = self.providers().filter(|it| it.settings().server.is_some());
        let servers: Vec<_> = servers.collect();
        let asked: Vec<_> = thread::scope(|scope| {
            let ask = |server: &Provider| {
                let name = &server.settings().name;
                let failed = |error| SourceError::Provider(name.clone(), Arc::new(error));
                server.offer(&cx).map_err(failed).transpose()
            };
            let asking = servers.into_iter().map(|it| scope.spawn(move || ask(it)));
            let asking: Vec<_> = asking.collect();
            let answers = asking.into_iter().filter_map(|it| it.join().ok().flatten());
            answers.collect()
        });
        let (mut offers, mut errors) = (Vec::new(), Vec::new());
        for answer in asked {
            match answer {
                Ok(offer) => offers.push(offer),
                Err(error) => errors.push(error),
            }
        }
        (offers, errors)
    }

    /// Returns true if a source is an MCP server.
    pub fn has_servers(&self) -> bool {
        self.providers().any(|it| it.settings().server.is_some())
    }

    /// Returns true if the source `name` is a program that the user has configured, whose tools no lock
    /// pins.
    pub fn is_of_user(&self, name: &str) -> bool {
        let mut providers = self.providers();
        providers.any(|it| it.settings().name == name && it.settings().user_configured)
    }

    /// Returns true if the filters select tools of the source `name`.
    pub fn is_selected_source(&self, name: &str) -> bool {
        let mut filters = self.filters.iter();
        filters.all(|filter| filter.matches_toolset(Some(name)))
    }

    /// Returns true if the filters select the tool or prompt `name` of `toolset`.
    pub fn is_selected(&self, name: &str, toolset: Option<&str>) -> bool {
        let mut filters = self.filters.iter();
        filters.all(|filter| filter.matches_name(name) && filter.matches_toolset(toolset))
    }

    /// Finds the file of the tool of that name, the one that [`Registry::find`] would open;
    /// its content is not parsed.
    pub fn locate(&self, name: &str) -> Result<Candidate, FindError> {
        let valid =
            Name::new(name).map_err(|error| FindError::InvalidName(name.to_owned(), error))?;
        let mut files = self.files().items.into_iter();
        let file = files.find(|file| file.name == valid.as_str());
        file.ok_or_else(|| FindError::NotFound(self.explain_missing(&valid)))
    }

    /// Returns true if it has neither tools nor sources that are programs. Nothing is started to
    /// find out.
    pub fn is_empty(&self) -> bool {
        let mut sources = self.sources.iter();
        sources.all(|source| {
            source.provider().is_none() && {
                let Listing { entries, errors } = source.list(&self.cx);
                entries.is_empty() && errors.is_empty()
            }
        })
    }

    /// Lists the sources that are programs in parallel: each may be slow.
    fn prefetch_providers(&self) {
        let providers: Vec<_> = self.providers().collect();
        if providers.len() > 1 {
            let limit = match self.cx.list.wait {
                ListWait::Timeout => most_at_once(),
                // Each of them waits for the same moment.
                ListWait::Moment | ListWait::Patient | ListWait::Instant => usize::MAX,
            };
            self.ask(&providers, limit);
        }
    }

    /// Asks `providers` for their tools, up to `limit` at the same time.
    fn ask(&self, providers: &[&Provider], limit: usize) {
        at_once(providers, limit, |provider| {
            drop(provider.tools(&self.cx).map(<[_]>::len));
        });
    }

    fn providers(&self) -> impl Iterator<Item = &Provider> {
        self.sources.iter().filter_map(Source::provider)
    }

    /// Asks all sources whose declarations are not cached for their tools, in the place of lists that
    /// have stopped waiting for them.
    pub fn fill_caches(&self) {
        let providers: Vec<_> = self.providers().collect();
        at_once(&providers, most_at_once(), |provider| {
            provider.fill_cache(&self.cx);
        });
    }

    fn is_listed(&self, candidate: &Candidate) -> bool {
        let name = candidate.name.to_string_lossy();
        self.filters.is_empty() || self.is_selected(&name, candidate.provenance.toolset.as_deref())
    }

    /// The names of the tools that `patterns` select: names, patterns of names, and toolsets. No file is
    /// opened.
    pub fn select(&self, patterns: &[String]) -> Vec<String> {
        let patterns = patterns.iter().map(String::as_str).map(Pattern::new);
        let patterns: Vec<Pattern> = patterns.collect();
        let names = self.files().items.into_iter().filter_map(|file| {
            let name = file.name.into_string().ok()?;
            let toolset = file.provenance.toolset.as_deref();
            let is_selected = patterns.iter().any(|it| it.selects(&name, toolset));
            is_selected.then_some(name)
        });
        names.collect()
    }

    /// Lists all candidates that are not shadowed, by source; no file is opened.
    pub fn files(&self) -> Found<Candidate> {
        let mut found: Found<Candidate> = Found {
            items: Vec::new(),
            source_errors: Vec::new(),
            shadowed: Vec::new(),
            filtered_out: 0,
            unmatched: Vec::new(),
        };
        let mut winners: HashMap<OsString, usize> = HashMap::new();
        self.prefetch_providers();
        for Listing { entries, errors } in list_all(&self.sources, &self.cx) {
            found.source_errors.extend(errors);
            // Names are unique in a folder; most projects have just one.
            let are_unique = self.sources.len() == 1
                && entries.iter().all(|file| file.provenance.toolset.is_none());
            if are_unique {
                found.items = entries;
                continue;
            }
            for file in entries {
                if let Some(&winner) = winners.get(&file.name) {
                    let shadowed = Shadowed::new(file, &found.items[winner]);
                    found.shadowed.push(shadowed);
                } else {
                    winners.insert(file.name.clone(), found.items.len());
                    found.items.push(file);
                }
            }
        }
        if !self.filters.is_empty() {
            found.unmatched = call::unmatched(&self.filters, &found);
            let total = found.items.len();
            found.items.retain(|file| self.is_listed(file));
            found.filtered_out = total - found.items.len();
        }
        found
    }

    /// Lists all candidates of all sources, in order, including shadowed and filtered ones.
    pub fn list_unfiltered(&self) -> Listing {
        self.prefetch_providers();
        let mut all = Listing::default();
        let listings = list_all(&self.sources, &self.cx);
        for listing in listings {
            all.add(listing);
        }
        all
    }

    /// Loads every tool and converts each with `each`, on two threads when there are
    /// many.
    pub fn map<T: Send>(&self, each: impl Fn(Result<Tool, ToolError>) -> T + Sync) -> Found<T> {
        self.map_files(|_, tool| each(tool))
    }

    /// Does the same for callers that need each file, even if it is not a valid tool.
    pub fn map_files<T: Send>(
        &self,
        each: impl Fn(&Candidate, Result<Tool, ToolError>) -> T + Sync,
    ) -> Found<T> {
        self.files().map(|files| {
            load_all(files, |file, tool| {
                each(file, tool.and_then(|tool| self.admit(tool)))
            })
        })
    }
}

/// A tool over the tools of a project: one searches them, the other calls one of them.
#[derive(Debug)]
struct ProjectTool(Registry);

/// Makes the built-in tool of that name, over the tools of `registry`.
fn tool(name: &str, registry: &Registry) -> Option<Tool> {
    let definition = match name {
        Name::FIND => find_definition(),
        Name::CALL => call_definition(),
        _ => return None,
    };
    let calls = ProjectTool(registry.clone());
    let tool = Tool::foreign(definition, Arc::new(calls), Path::new(name));
    Some(tool.from(Provenance::built_in("")))
}

/// Returns the name and the arguments of the tool that a call of `call_tool` asks for. The
/// arguments have been validated.
fn target(mut arguments: Map<String, Value>) -> (String, Arguments) {
    let name = arguments.get("name").and_then(Value::as_str);
    let name = name.unwrap_or_default().to_owned();
    let inner = arguments.shift_remove("arguments").unwrap_or_default();
    (name, Arguments::from(json::object(inner)))
}

fn find_definition() -> Definition {
    let parameters = r#"
query:
  type: string
  description: "What the tool should do, in a few words, or a part of its name"
limit: {type: integer, description: How many matches at most, minimum: 1, maximum: 50, default: 5}
"#;
    let description = "Finds tools that are not declared here, by what they are for. Each match \
                       comes with its description and parameters; call it with call_tool.";
    Definition {
        annotations: Annotations {
            read_only: Some(true),
            idempotent: Some(true),
            open_world: Some(false),
            ..Annotations::default()
        },
        ..Definition::built_in(Name::FIND, "Find a tool", description, parameters)
    }
}

fn call_definition() -> Definition {
    let parameters = r#"
name: {type: string, description: The name of the tool}
arguments: {type: object, description: "Its arguments, as its parameters say", optional: true}
"#;
    let description = "Calls a tool that find_tool has found.";
    Definition::built_in(Name::CALL, "Call a tool", description, parameters)
}

impl Foreign for ProjectTool {
    fn call(&self, call: ToolCall<'_>) -> Result<ToolOutput, RunError> {
        // It is a search: `Registry::prepare` replaces a call by one of the other tool.
        let query = call.text("query").unwrap_or_default();
        let found = self.0.map(Result::ok);
        let tools: Vec<Tool> = found.items.into_iter().flatten().collect();
        Ok(ToolOutput::new(search(query, &tools, call.number("limit"))))
    }

    /// Sources that are programs may be listed, and the tool that is called may be one.
    fn runs_programs(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod builtin_tests {
    use super::*;
    use crate::schema::Schema;
    use crate::text::Text;
    use crate::yaml;

    /// The definitions are made without the checks for files.
    #[test]
    fn parameters_are_legal() {
        for definition in [find_definition(), call_definition()] {
            let schema = &definition.schema;
            let text = Value::Object(schema.as_object().clone()).to_string();
            let text = Text::new("x", text.into_bytes()).expect("it is text");
            let document = yaml::parse(&text).expect("JSON is YAML");
            let read = Schema::verbatim(&document).map_err(|errors| format!("{errors:?}"));
            assert_eq!(read.as_ref(), Ok(schema));
            assert_eq!(schema.invalid_defaults(), []);
        }
    }
}
