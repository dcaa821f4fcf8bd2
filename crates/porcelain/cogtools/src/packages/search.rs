//! `cogtools search`: packages with tools in the npm registry.

use clap::{Arg, ArgMatches, Command};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::args::all;
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::terminal::{Column, Stream, Table, truncate};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, man};
use serde_json::{Value, json};

use crate::packages::name::PackageName;
use crate::packages::npm::Npm;

/// The keyword in the `package.json` of packages with tools.
const KEYWORD: &str = "cogtools-tool";
/// How many packages are asked for.
const LIMIT: &str = "--searchlimit=20";
/// How many characters of a description are shown.
const MAX_DESCRIPTION_CHARS: usize = 72;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-search",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::ToolFailed],
    variables: man::SHARED,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "WHAT IS FOUND",
        "Packages of the npm registry with the keyword cogtools-tool in their package.json, as npm \
search returns them: the first 20. Anybody can publish such a package; a search says nothing about \
its quality. In a project that is not trusted, its .npmrc is not used.",
    ),
    (
        "JSON",
        "An array of objects with name, version and description.",
    ),
    (
        "EXAMPLES",
        "    cogtools search code review\n\n    cogtools search --format json review | jq -r '.[].name'",
    ),
];

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Search the npm registry for packages with tools")
        .long_about("Search the npm registry for packages with the keyword cogtools-tool.")
        .arg(
            Arg::new("term")
                .value_name("TERM")
                .required(true)
                .num_args(1..)
                .help("Words in the name, the description or the keywords"),
        )
        .arg(format_arg().help("Output format: a table, or JSON"))
}

/// A package in the registry.
struct Hit {
    name: String,
    version: String,
    description: String,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let terms: Vec<String> = all(matches, "term");
    let keyword = format!("keywords:{KEYWORD}");
    let words: Vec<&str> = std::iter::once(keyword.as_str())
        .chain(terms.iter().map(String::as_str))
        .collect();
    let output = Npm::for_search(io)?.run(&["search", "--json", LIMIT], &words)?;
    let hits = hits(&output)?;
    if json_from_matches(matches) {
        let hits: Vec<Value> = hits.iter().map(Hit::json).collect();
        return io.show_json(&format!("{:#}\n", Value::from(hits)));
    }
    if hits.is_empty() {
        let diagnostic = Diagnostic::new(Code::ToolNotFound, "no package with tools was found")
            .hint("search for fewer or other words");
        io.report(Severity::Warning, &diagnostic);
        return Ok(());
    }
    let mut table = Table::new([
        Column::text("NAME"),
        Column::text("VERSION"),
        Column::text("DESCRIPTION"),
    ]);
    for hit in hits {
        let description = truncate(&hit.description, MAX_DESCRIPTION_CHARS).into_owned();
        table.row([hit.name, hit.version, description]);
    }
    let colour = io.colour(Stream::Stdout);
    io.print(table.render(colour).as_bytes())
}

/// The packages in the output of npm. Those without the keyword and those with other names
/// than `cogtools add` takes are left out.
fn hits(output: &[u8]) -> Result<Vec<Hit>, Failure> {
    let packages: Vec<Value> = serde_json::from_slice(output).map_err(|error| {
        let message = format!("what npm has printed is not a list of packages: {error}");
        Diagnostic::new(Code::ToolFailed, message)
            .with_subject("npm")
            .hint("check that npm works: npm search --json cogtools-tool")
    })?;
    Ok(packages.iter().filter_map(Hit::read).collect())
}

impl Hit {
    fn read(package: &Value) -> Option<Self> {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let keywords = package["keywords"].as_array()?;
        let name = PackageName::parse(package["name"].as_str()?).ok()?;
        let is_ours = name.version.is_none() && keywords.iter().any(|word| word == KEYWORD);
        is_ours.then(|| Self {
            name: name.name,
            version: text("version"),
            description: text("description"),
        })
    }

    fn json(&self) -> Value {
        json!({"name": self.name, "version": self.version, "description": self.description})
    }
}
