//! `cogtools list`: the tools of a project, and what each costs the model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::approval::verdict;
use cogtools_core::source::{RemoteTool, code_points};
use cogtools_core::tool::ToolError;
use cogtools_core::trust::Verdict;
use cogtools_core::{
    Candidate, Code, Context, Cost, Diagnostic, FindError, Found, Name, Target, Tool,
};
use cogtools_edit::host::McpHost;
use cogtools_program::args::{
    self, FILTER_OPTIONS, FilterArgs, LockedArg, NameFilterArgs, RegistryArgs,
};
use cogtools_program::budget::BudgetArg;
use cogtools_program::format::FormatArg;
use cogtools_program::project::registry_and_context;
use cogtools_program::terminal::style::{PLAIN, RED};
use cogtools_program::terminal::{Column, Stream, Table, pluralize};
use cogtools_program::{EACH, Failure, Io, Program, Reporter, Severity, Stdin, man};
use serde_json::{Map, Value, json};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-list",
    command: ListArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[Code::Denied, Code::InvalidConfig]],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "COLUMNS",
        "NAME is the name of the tool. TOOLSET is the folder below its source, or the package, that contains it; the column is omitted if no tool is in a toolset. SOURCE is the folder or package that the tool comes from, and FILE its file. TOKENS is an estimate of the tool's cost with every request: that of its name, description and JSON Schema, by the length and the script of each word; hosts and tokenizers differ. NOTES lists the files that the tool shadows (another source has a tool of the same name, and the first source wins) and, for an invalid tool, its first error: such a tool is not declared to hosts. A tool that runs programs is marked as not approved until the user has approved it with `cogtools trust`; it is declared, and calls are denied. A tool of a provider or an MCP server whose declaration was repaired is marked with the keywords that were added, translated from an older draft, or left out, with the optional parameters that Gemini CLI does not get because the Gemini API rejects their names, which calls may pass, and with a description that is cut for OpenAI's API because it is too long there. With --budget or --max-tools, or a budget in the configuration, NOTES says which tools are pinned, and which find_tool finds because they do not fit, and the last line what is declared with every request.\n\nWith --built-in, find_tool and call_tool are listed last: `cogtools-discover` declares them if a budget has no room for all tools. Their source and file are shown as (built in).",
    ),
    (
        "JSON",
        "One object: tools, an array of objects with name, toolset (null if in none), source, file, tokens, shadows (an array of files), for a tool that runs programs approval (approved, changed or not approved), with a budget declared (true or false) and reason (why it is kept, or null), for a repaired declaration repaired and, for an invalid tool, fault (message, hints and, if known, line and column) instead of tokens; and total_tokens, of all tools together.",
    ),
    (
        "EXAMPLES",
        "    cogtools list\n\n    cogtools list --json | jq '.total_tokens'",
    ),
];

/// List the tools of this project and their cost in tokens
#[derive(Parser)]
#[command(
    mut_arg("format", |arg| arg.help("Output format: a table, or one JSON object")),
    long_about = "List the tools of the project that contains the current directory, in the order \
        of sources and names: where each comes from, what it shadows, and roughly how many tokens \
        it costs with every request."
)]
struct ListArgs {
    #[command(flatten)]
    format: FormatArg,
    /// Also list the built-in tools, which find and call the others
    #[arg(long)]
    built_in: bool,
    #[command(flatten)]
    locked: LockedArg,
    #[command(flatten)]
    names: NameFilterArgs,
    #[command(flatten)]
    budget: BudgetArg,
    /// Only tools that the configuration allows for this host
    #[arg(long, value_name = "HOST", value_parser = host(), help_heading = FILTER_OPTIONS)]
    host: Option<Host>,
}

/// The reader of the tools.
#[derive(Clone, Debug)]
enum Host {
    /// All readers of a form of declarations.
    Form(Target),
    /// A host that starts the MCP server.
    Client(McpHost),
}

impl Host {
    const fn target(&self) -> Target {
        match self {
            Self::Form(target) => *target,
            Self::Client(_) => Target::Mcp,
        }
    }

    /// A warning that the host takes fewer tools than `count`.
    fn too_many(&self, count: usize) -> Option<Diagnostic> {
        let Self::Client(host) = self else {
            return None;
        };
        let max = host.max_tools.filter(|max| count > *max)?;
        let name = host.name;
        let message =
            format!("{name} takes at most {max} tools of all servers, and here are {count}");
        Some(
            Diagnostic::new(Code::InvalidConfig, message)
                .hint(format!(
                    "cogtools mcp --max-tools {max} serves the first, and finds the others"
                ))
                .hint("cogtools skill describes all of them to agents that have a shell"),
        )
    }
}

fn host() -> impl TypedValueParser<Value = Host> {
    let clients = McpHost::ALL.into_iter().map(|host| host.key);
    PossibleValuesParser::new(Target::NAMES.into_iter().chain(clients)).try_map(|name| {
        let client = || McpHost::of_key(&name).map(Host::Client);
        let form = Target::parse(&name).map(Host::Form);
        form.or_else(client).ok_or("unknown host")
    })
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: ListArgs = args::parse(matches)?;
    let json = args.format.is_json();
    let options = RegistryArgs {
        filter: FilterArgs {
            names: args.names,
            host: args.host.as_ref().map(Host::target),
        },
        locked: args.locked,
        ..RegistryArgs::default()
    };
    let (registry, project) = registry_and_context(&options, io, None)?;
    let cx = project.context(io);
    let uses = registry.uses().read();
    let found = registry.map_files(|file, tool| Row::new(file, tool, &uses, &cx));
    let source_errors = found.source_diagnostics();
    let filtered_out = found.filtered_out;
    let unmatched = found.unmatched.clone();
    let mut rows = rows(found);
    let mut warnings = Vec::new();
    let mut declared_tokens = None;
    if let Some(budget) = args.budget.or_configured(&registry) {
        let costs: Vec<Cost> = rows
            .iter()
            .filter_map(|row| row.cost.clone().ok())
            .collect();
        match budget.declared(&costs, &registry) {
            Ok(declared) => {
                let is_short = declared.contains(&false);
                if is_short {
                    let all = costs.iter().map(|cost| (cost.tokens, *cost)).collect();
                    declared_tokens = Some(budget.select(all, &registry, Tool::tokens)?);
                }
                let rows = rows.iter_mut().filter(|row| row.cost.is_ok());
                for (row, is_declared) in rows.zip(declared) {
                    row.is_declared = Some(is_declared);
                    row.is_selected = is_declared && is_short;
                }
            }
            // The list shows what a budget has to have room for.
            Err(diagnostics) if budget.is_configured() => warnings.extend(diagnostics),
            Err(diagnostics) => return Err(diagnostics.into()),
        }
    }
    if args.built_in {
        let search_tools = registry.search_tools().map_err(FindError::diagnostics)?;
        rows.extend(search_tools.iter().map(Row::built_in));
    }
    if json {
        let tools: Vec<Value> = rows.iter().map(|row| row.json(&io.reporter)).collect();
        let report = json!({"tools": tools, "total_tokens": total(&rows)});
        io.show_json(&format!("{report:#}\n"))?;
    } else if !rows.is_empty() {
        io.page(&table(&rows, declared_tokens, io.colour(Stream::Stdout)))?;
    }
    let is_explained = !source_errors.is_empty();
    let valid = rows.iter().filter(|row| row.cost.is_ok()).count();
    let too_many = args.host.and_then(|host| host.too_many(valid));
    warnings.extend(too_many);
    io.warn(&[source_errors, unmatched, warnings].concat(), &EACH);
    // In JSON, an empty list needs no explanation.
    if rows.is_empty() && !is_explained && !json {
        io.report(Severity::Warning, &empty_list(filtered_out));
    }
    Ok(())
}

/// The rows, each with the files that it shadows.
fn rows(found: Found<Row>) -> Vec<Row> {
    let mut shadowed: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for hidden in found.shadowed {
        shadowed.entry(hidden.winner).or_default().push(hidden.file);
    }
    let mut rows = found.items;
    for row in &mut rows {
        row.shadows = shadowed.remove(&row.file).unwrap_or_default();
    }
    rows
}

/// Explains an empty list.
fn empty_list(filtered_out: usize) -> Diagnostic {
    if filtered_out > 0 {
        let tools = pluralize(filtered_out, "tool");
        let message = format!("a filter excludes all tools: {tools}");
        return Diagnostic::new(Code::ToolNotFound, message).hint(
            "filters are set by --tools, --exclude, --toolset or --host, or by the configuration",
        );
    }
    Diagnostic::new(Code::ToolNotFound, "this project has no tools yet")
        .hint("cogtools new NAME creates one")
        .hint("cogtools init sets the project up with an example")
}

/// A path for display: `.` for the directory itself.
fn shown(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        path.display().to_string()
    }
}

/// A tool file, valid or not.
struct Row {
    name: String,
    toolset: Option<String>,
    source: String,
    file: PathBuf,
    /// The files that this one shadows.
    shadows: Vec<PathBuf>,
    /// The approval of its programs; `None` if it runs none.
    approval: Option<Verdict>,
    /// Repairs of the declaration, if there are any.
    repaired: Option<String>,
    /// True if each call of it needs an answer of the user.
    asks: bool,
    /// True if a budget has room for its declaration; `None` without a budget.
    is_declared: Option<bool>,
    /// True if it is declared although others do not fit.
    is_selected: bool,
    /// Its cost, or its first error.
    cost: Result<Cost, Box<Diagnostic>>,
}

/// The cost of all tools together, in tokens.
fn total(rows: &[Row]) -> usize {
    let costs = rows.iter().filter_map(|row| row.cost.as_ref().ok());
    costs.map(|cost| cost.tokens).sum()
}

impl Row {
    fn new(
        file: &Candidate,
        tool: Result<Tool, ToolError>,
        uses: &HashMap<String, u32>,
        cx: &Context,
    ) -> Self {
        let runs_programs = tool.as_ref().ok().filter(|tool| tool.runs_programs());
        // What prevents an answer also prevents the approval.
        let approval = runs_programs.map(|tool| verdict(tool, cx).unwrap_or(Verdict::NotApproved));
        let repaired = repaired(file, tool.as_ref().ok());
        let asks = tool.as_ref().is_ok_and(Tool::asks);
        let cost = tool.map(|tool| tool.cost().with_uses(tool.name().as_str(), uses));
        let cost = cost.map_err(|error| {
            let first = error.diagnostics().into_iter().next();
            Box::new(first.unwrap_or_else(|| Diagnostic::new(Code::InvalidTool, "not a tool")))
        });
        Self {
            name: file.name.to_string_lossy().into_owned(),
            toolset: file.provenance.toolset.clone(),
            source: file.provenance.source.clone(),
            file: file.display_path.clone(),
            shadows: Vec::new(),
            approval,
            repaired,
            asks,
            is_declared: None,
            is_selected: false,
            cost,
        }
    }

    /// A built-in tool.
    fn built_in(tool: &Tool) -> Self {
        const BUILT_IN: &str = "(built in)";
        Self {
            name: tool.name().to_string(),
            toolset: None,
            source: BUILT_IN.to_owned(),
            file: PathBuf::from(BUILT_IN),
            shadows: Vec::new(),
            approval: None,
            repaired: None,
            asks: false,
            is_declared: None,
            is_selected: false,
            cost: Ok(tool.cost()),
        }
    }

    /// The notes, on one line.
    fn notes(&self) -> String {
        let mut notes = Vec::new();
        if let Err(diagnostic) = &self.cost {
            let position = diagnostic
                .location
                .as_ref()
                .map(|location| format!("{}:{}: ", location.line, location.column))
                .unwrap_or_default();
            notes.push(format!("invalid: {position}{}", diagnostic.message));
        }
        match self.approval {
            Some(Verdict::NotApproved) => notes.push("not approved".to_owned()),
            Some(Verdict::Changed) => notes.push("changed since its approval".to_owned()),
            Some(Verdict::Approved) | None => {}
        }
        if self.asks {
            notes.push("asks before each call".to_owned());
        }
        notes.extend(self.reason());
        if self.is_declared == Some(false) {
            notes.push(format!(
                "left to {}: it does not fit the budget",
                Name::FIND
            ));
        }
        if let Some(repaired) = &self.repaired {
            notes.push(format!("repaired: {repaired}"));
        }
        if !self.shadows.is_empty() {
            let files: Vec<String> = self.shadows.iter().map(|file| shown(file)).collect();
            notes.push(format!("shadows {}", files.join(", ")));
        }
        notes.join("; ")
    }

    /// Why a budget keeps it, or that it does so always.
    fn reason(&self) -> Option<String> {
        let cost = self.cost.as_ref().ok()?;
        if cost.is_pinned {
            return Some("pinned".to_owned());
        }
        let text = match cost.uses {
            0 => "kept: small".to_owned(),
            uses => format!("kept: called {}", pluralize(uses as usize, "time")),
        };
        self.is_selected.then_some(text)
    }

    fn json(&self, reporter: &Reporter) -> Value {
        let mut object = Map::new();
        object.insert("name".into(), self.name.clone().into());
        object.insert("toolset".into(), self.toolset.clone().into());
        object.insert("source".into(), self.source.clone().into());
        object.insert("file".into(), shown(&self.file).into());
        match &self.cost {
            Ok(cost) => object.insert("tokens".into(), cost.tokens.into()),
            Err(diagnostic) => object.insert("fault".into(), diagnostic_json(diagnostic, reporter)),
        };
        if let Some(verdict) = self.approval {
            object.insert("approval".into(), verdict.label().into());
        }
        if let Some(is_declared) = self.is_declared {
            object.insert("declared".into(), is_declared.into());
            object.insert("reason".into(), self.reason().into());
        }
        if let Some(repaired) = &self.repaired {
            object.insert("repaired".into(), repaired.clone().into());
        }
        let shadows: Vec<String> = self.shadows.iter().map(|file| shown(file)).collect();
        object.insert("shadows".into(), shadows.into());
        Value::Object(object)
    }
}

/// The maximum numbers of noted names and of their characters: their author is a stranger.
const MAX_NAMES: usize = 20;
const MAX_NAME_CHARS: usize = 40;

/// Describes the repairs of a provider's declaration, and the parts that some hosts do not get.
fn repaired(file: &Candidate, tool: Option<&Tool>) -> Option<String> {
    let repairs = file.remote().map(RemoteTool::repairs);
    let repairs = repairs.filter(|repairs| !repairs.is_empty());
    let mut parts: Vec<String> = repairs.iter().map(ToString::to_string).collect();
    let names = tool.map(|tool| Target::Gemini.left_out(tool));
    let names: Vec<String> = names
        .into_iter()
        .flatten()
        .take(MAX_NAMES)
        .map(|name| name.chars().take(MAX_NAME_CHARS).collect())
        .collect();
    if !names.is_empty() {
        parts.push(format!("left out for gemini {}", names.join(", ")));
    }
    if tool.is_some_and(|tool| Target::OpenAi.cuts_description(tool)) {
        parts.push("cut for openai description".to_owned());
    }
    if let Some(hidden) = tool.map(|tool| &tool.hidden).filter(|it| !it.is_empty()) {
        parts.push(format!("removed hidden characters {}", code_points(hidden)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn diagnostic_json(diagnostic: &Diagnostic, reporter: &Reporter) -> Value {
    let mut json = json!({"code": diagnostic.code.name(), "message": diagnostic.message});
    if let Some(location) = &diagnostic.location {
        json["line"] = location.line.into();
        json["column"] = location.column.into();
    }
    let hints = diagnostic.hints.iter().map(|hint| reporter.hint(hint));
    json["hints"] = hints.collect();
    json
}

/// The table, followed by the cost of all tools and, with a short budget, of the declarations.
fn table(rows: &[Row], declared_tokens: Option<Vec<usize>>, colour: bool) -> String {
    let mut table = Table::new([
        Column::text("NAME"),
        Column::text("TOOLSET").optional(),
        Column::text("SOURCE"),
        Column::text("FILE"),
        Column::number("TOKENS"),
        Column::text("NOTES"),
    ]);
    for row in rows {
        let style = if row.cost.is_err() { RED } else { PLAIN };
        let tokens = row.cost.as_ref().map(|cost| cost.tokens.to_string());
        table.styled_row(
            style,
            [
                row.name.clone(),
                row.toolset.clone().unwrap_or_default(),
                row.source.clone(),
                shown(&row.file),
                tokens.unwrap_or_else(|_| "-".to_owned()),
                row.notes(),
            ],
        );
    }
    let invalid = rows.iter().filter(|row| row.cost.is_err()).count();
    let tools = pluralize(rows.len() - invalid, "tool");
    let tokens = total(rows);
    let suffix = match invalid {
        0 => String::new(),
        invalid => format!("; {invalid} invalid"),
    };
    let budget = declared_tokens.map_or_else(String::new, |declared| {
        let count = pluralize(declared.len(), "declaration");
        let tokens: usize = declared.iter().sum();
        format!("; with the budget {count}, about {tokens} tokens")
    });
    let table = table.render(colour);
    format!("{table}\n{tools}, about {tokens} tokens{budget} with every request{suffix}\n")
}
