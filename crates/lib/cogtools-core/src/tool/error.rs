//! Errors of tool files and of flows in them.

use std::path::PathBuf;

use crate::file::ReadScope;
use crate::name::NameError;
use crate::suggest::{Suggestion, did_you_mean};
use crate::text::TextError;
use crate::{Actual, Code, Diagnostic, Expected, Hint, quoted};

/// The largest number of nodes of a flow.
pub(super) const MAX_NODES: usize = 1_000;
/// The codes that an example can expect a call to fail with.
pub(super) const EXAMPLE_CODES: [Code; 4] = [
    Code::ToolFailed,
    Code::SchemaViolation,
    Code::TemplateFailed,
    Code::Timeout,
];

/// Names that authors use for the language of `js`.
const JAVASCRIPT: [&str; 2] = ["js", "javascript"];

/// Why a file is not a tool.
#[derive(Debug)]
pub enum ToolError {
    /// The file cannot be read as text.
    Text(TextError),
    /// The file is not one YAML document.
    Syntax(Box<Diagnostic>),
    /// The document is not a tool: all errors, in the order of the file.
    Invalid(Vec<Diagnostic>),
    /// cogtools itself panicked while reading the file.
    Bug(PathBuf),
}

/// Why a key of a tool file is not valid.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// Not a map.
    #[error("a tool file is a map of keys, not {0}")]
    NotAMap(&'static str),
    /// A key that tools do not have.
    #[error("unknown key `{0}`")]
    UnknownKey(String, Option<Hint>),
    /// A required key.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A value of the wrong kind.
    #[error("`{0}` takes {1}, not {2}")]
    Kind(String, Expected, Actual),
    /// A blank value where text is required.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// An unknown `$schema`.
    #[error("`{0}` is not the schema of tool files")]
    Schema(String),
    /// A name that is not portable.
    #[error("`{0}` is not a tool's name: {1}")]
    Name(String, NameError),
    /// A name of an example that no file could have.
    #[error("`{0}` is not the name of an example: {1}")]
    ExampleName(String, NameError),
    /// A name that differs from the file's stem.
    #[error("the tool is named `{0}`, but its file is `{1}.yaml`")]
    Stem(String, String),
    /// Both `parameters` and `parameters_schema`.
    #[error("`parameters_schema` cannot be combined with `parameters`")]
    TwoSchemas,
    /// A template language that is not njk.
    #[error("`{0}` is not a supported template language")]
    Language(String),
    /// An implementation with no kind or several; the field lists the kinds.
    #[error("an implementation needs exactly one of {0}")]
    OneImplementation(String),
    /// Code that is longer than this many KiB.
    #[error("`js` is longer than {0} KiB")]
    LongCode(usize),
    /// A template where an expression is expected.
    #[error("`{1}` is a template, but `{0}` takes an expression")]
    Condition(&'static str, String),
    /// An output without a type.
    #[error("`output` has no `type`")]
    OutputType,
    /// A schema for a text result.
    #[error("`schema` requires `type: json`")]
    TextSchema,
    /// A file as the result of something else than a program.
    #[error("`type: {0}` is the output of a program, but this is none")]
    FileOutput(&'static str),
    /// A path outside the tool's folder.
    #[error("`{0}` is outside the tool's folder")]
    Outside(String),
    /// A part in another file that cannot be used: why, and true for a text of values.
    #[error("{0}")]
    Shared(String, bool),
    /// A command that cannot list the values of an enum.
    #[error("the command of an enum {0}")]
    Values(String),
    /// An invalid environment variable name.
    #[error("`{0}` is not a valid environment variable name")]
    Variable(String),
    /// An example with the name of another one.
    #[error("two examples are named `{0}`")]
    SameExample(String),
    /// A code that a call does not fail with.
    #[error("`{0}` is not a code that a call fails with")]
    ExampleCode(String),
    /// A capability that is not `provider.operation`.
    #[error("`{0}` is not a capability")]
    Capability(String),
    /// An error in a flow.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// An error in `http`.
    #[error(transparent)]
    Http(#[from] HttpToolError),
    /// An error in `sandbox`: the message, and the hint.
    #[error("{0}")]
    Sandbox(String, String),
}

impl ToolError {
    /// The diagnostics to show.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::Text(error) => vec![error.diagnostic(Code::InvalidTool)],
            Self::Syntax(diagnostic) => vec![*diagnostic],
            Self::Invalid(diagnostics) => diagnostics,
            Self::Bug(file) => {
                let diagnostic = Diagnostic::new(Code::Internal, "cogtools failed on this tool")
                    .with_subject(file.display().to_string())
                    .hint("this is a bug in cogtools; please report it with the file");
                vec![diagnostic]
            }
        }
    }

    /// Removes everything from the content of a file that messages must not quote.
    pub(super) fn concealed(self, scope: &ReadScope) -> Self {
        if scope.is_quotable() {
            return self;
        }
        let diagnostic = match self {
            Self::Syntax(diagnostic) => *diagnostic,
            Self::Invalid(diagnostics) if !diagnostics.is_empty() => diagnostics[0].clone(),
            error => return error,
        };
        let message =
            "not a valid tool; what is wrong is not shown, because the file is outside the project";
        Self::Syntax(Box::new(Diagnostic {
            location: diagnostic.location,
            ..Diagnostic::new(diagnostic.code, message)
                .with_subject(diagnostic.subject)
                .hint("lint it in the project that it belongs to")
        }))
    }

    /// Returns true if the file does not exist.
    pub const fn is_not_found(&self) -> bool {
        matches!(self, Self::Text(TextError::NotFound(_)))
    }
}

impl DefinitionError {
    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::NotAMap(_) => "begin with `name: …`".into(),
            Self::UnknownKey(_, meant) => meant.clone()?,
            Self::Missing(key) => format!("add `{key}: …`").into(),
            Self::Empty(key) => format!("write something under `{key}`").into(),
            Self::Schema(_) => format!("write `$schema: {}`", super::key::SCHEMA).into(),
            Self::Name(..) => "use a name that every host accepts, such as `check_facts`".into(),
            Self::ExampleName(..) => "use a name such as `short_text`".into(),
            Self::Stem(name, _) => format!("rename the file to `{name}.yaml`, or the tool").into(),
            Self::TwoSchemas => "remove one of the two".into(),
            Self::Language(language) if JAVASCRIPT.contains(&language.as_str()) => {
                "write the code under `implementation: {js: …}`".into()
            }
            Self::Language(_) => "write `implementation: | # njk`".into(),
            Self::OneImplementation(_) => {
                "write a template as text, or a map such as `{exec: [echo, \"{{ text }}\"]}`".into()
            }
            Self::LongCode(_) => "shorten it, and pass data as arguments".into(),
            Self::Condition(key, _) => {
                format!("write it without braces, as in `{key}: path`").into()
            }
            Self::OutputType => "write `output: {type: json}` or `output: {type: text}`".into(),
            Self::FileOutput(_) => {
                "use `exec` or `script`, or answer with blocks: `output: {type: content}`".into()
            }
            Self::TextSchema => "write `type: json`, or remove `schema`".into(),
            Self::Outside(_) => "use a file in the tool's folder, or below it".into(),
            Self::Shared(_, true) => {
                "name a text in the tool's folder, with one value in each line".into()
            }
            Self::Shared(_, false) => {
                "name a part as in `./shared.yaml#/parameters/city`, in the tool's folder".into()
            }
            Self::Values(_) => {
                "write `enum: {from: {exec: [git, branch]}}`, without arguments of the call".into()
            }
            Self::Variable(_) => "use letters, digits and underscores, as in `API_KEY`".into(),
            Self::SameExample(_) => {
                "give each example its own name; upper and lower case are the same".into()
            }
            Self::ExampleCode(_) => {
                let codes = EXAMPLE_CODES.map(Code::name);
                format!("write one of {}", codes.join(", ")).into()
            }
            Self::Flow(error) => error.hint()?,
            Self::Http(error) => error.hint()?.into(),
            Self::Sandbox(_, hint) => hint.clone().into(),
            Self::Capability(_) => "write it as `provider.operation`, such as `search.web`".into(),
            Self::Kind(_, expected, actual) => expected.hint(actual).into(),
        })
    }

    /// The diagnostic to show, without a location.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(Code::InvalidTool, self.to_string());
        diagnostic.hints.extend(self.hint());
        diagnostic
    }
}

/// Why a map under `flow` is not a flow, besides the values of its keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// No nodes at all.
    #[error("a flow needs at least one node")]
    Empty,
    /// More than `MAX_NODES` nodes.
    #[error("{0} nodes; a flow has at most {max}", max = MAX_NODES)]
    TooMany(usize),
    /// A name that cannot be a variable.
    #[error("`{0}` is not a name of a node")]
    Name(String),
    /// A node with the name of a parameter.
    #[error("the node `{0}` has the name of a parameter")]
    Parameter(String),
    /// A node with no kind or several; the field lists the kinds.
    #[error("a node needs exactly one of {0}")]
    OneKind(String),
    /// A kind that `each` runs, beside it.
    #[error("`{0}` belongs in `each`, not beside it")]
    BesideEach(String),
    /// The name of no node, and a suggestion.
    #[error("there is no node `{0}`")]
    UnknownNode(String, Option<Suggestion>),
    /// A variable that is neither a parameter nor a node, and a suggestion.
    #[error("`{0}` is neither a parameter nor a node")]
    UnknownVariable(String, Option<Suggestion>),
    /// These nodes need each other, each the next one, and the last one the first.
    #[error("nodes need each other: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// Neither or both of `name` and `capability`.
    #[error("a tool node needs either `name` or `capability`")]
    OneTarget,
    /// `then` and `else` without an agent, or one without the other.
    #[error("`then` and `else` belong to an agent, both of them")]
    Branches,
    /// Another value of `errors`.
    #[error("`errors` is `keep` or `fail`")]
    Errors,
    /// A number under `retry` that is larger than this.
    #[error("`{0}` is at most {1}")]
    Retry(&'static str, u32),
    /// A `default` that is no valid answer, and why.
    #[error("`default` is no answer that `reply` allows: {0}")]
    Default(String),
    /// `tools` of a node without code.
    #[error("`tools` belongs to `js`")]
    Tools,
}

impl FlowError {
    /// Makes the error of a node that has none of these kinds, or several.
    pub(super) fn one_of(kinds: &[&str]) -> Self {
        Self::OneKind(quoted(kinds))
    }

    fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::Empty => "write `nodes: {first: {text: …}}`".into(),
            Self::TooMany(_) => "use `each` for many items".into(),
            Self::Name(_) => "use small letters, digits and underscores, as in `find_time`".into(),
            Self::Parameter(_) => "rename one of the two: both are variables".into(),
            Self::OneKind(_) => "write one, such as `text: \"{{ question }}\"`".into(),
            Self::BesideEach(kind) => {
                format!("write `each: {{in: …, as: item, {kind}: …}}`").into()
            }
            Self::UnknownNode(_, meant) | Self::UnknownVariable(_, meant) => meant.clone()?.into(),
            Self::Cycle(_) => {
                "to repeat a node until something holds, write `retry: {until: …}`".into()
            }
            Self::OneTarget => "write `tool: NAME`, or `tool: {capability: …}`".into(),
            Self::Errors => "write `errors: keep` for the error of each item that fails".into(),
            Self::Retry(..) => "for more time, give the node more attempts with `times`".into(),
            Self::Default(_) => "write the whole answer, as in `default: {sure: false}`".into(),
            Self::Tools => "an agent has its own: write `agent: {tools: […]}`".into(),
            Self::Branches => "write `{agent: {…}, then: NODE, else: NODE}`".into(),
        })
    }
}

/// Methods of requests.
pub const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Why a map under `http` is not a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpToolError {
    /// Another scheme, or one that is rendered.
    #[error("`url` begins with `https://` or `http://`, as text")]
    Scheme,
    /// A user name or a password.
    #[error("`url` has a user name or a password")]
    Userinfo,
    /// A fragment, which is never sent.
    #[error("`url` has a fragment")]
    Fragment,
    /// A brace that begins no expression.
    #[error("`{0}` in `url` is not an expression")]
    Brace(String),
    /// A template after the colon.
    #[error("the port in `url` is a template")]
    Port,
    /// No host, or an invalid one.
    #[error("`url` has no valid host")]
    UrlHost,
    /// A template in the host without `hosts`.
    #[error("the host in `url` is a template, and `hosts` names none")]
    NoHosts,
    /// Not a method.
    #[error("`{0}` is not a method")]
    Method(String),
    /// Not the name of a header.
    #[error("`{0}` is not the name of a header")]
    HeaderName(String),
    /// A header that belongs to the connection.
    #[error("`{0}` cannot be set: the client sets it")]
    Header(String),
    /// A body of a request that has none.
    #[error("a {0} request has no `body`")]
    Body(String),
    /// Not exactly one of these keys.
    #[error("`{0}` takes exactly one of {1}")]
    OneOf(String, String),
    /// Not a host.
    #[error("`{0}` is not a host")]
    Host(String),
    /// A status that is a result anyway, or none at all.
    #[error("`ok` takes statuses from 400 to 599, not {0}")]
    Ok(String),
    /// A retry of a method that is not idempotent.
    #[error("a {0} request is not repeated unless the tool is idempotent")]
    Retry(String),
    /// Too many or no pages.
    #[error("`pages` is a number from 1 to 100")]
    Pages,
    /// Not a JSON pointer.
    #[error("`{0}` is not a JSON pointer")]
    Pointer(String),
    /// Not an expression.
    #[error("`select` is neither a JSON pointer nor an expression")]
    Select,
    /// Not a kind of result.
    #[error("`{0}` is not a kind of result")]
    Kind(String),
    /// Credentials for a host that arguments choose.
    #[error("`auth` cannot be sent to a host of `*.` that arguments choose")]
    Wildcard,
    /// Two credentials, of which only one could be sent.
    #[error("two credentials have the same place: {0}")]
    SamePlace(String),
    /// Not a name of a variable.
    #[error("`{0}` takes a variable, not the value itself")]
    Variable(String),
}

impl HttpToolError {
    pub(in crate::tool) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Scheme => "write it as in `https://a.example/users/{{ id }}`".to_owned(),
            Self::Userinfo => {
                "write `auth: {basic: {user: NAME, password: {env: VARIABLE}}}`".into()
            }
            Self::Fragment => "remove `#` and what follows, or write `%23`".into(),
            Self::Brace(_) => "write an argument as in `{{ id }}`".into(),
            Self::Port => "write the port as a number, or let the host be `HOST:PORT`".into(),
            Self::UrlHost => "write it as in `https://a.example:8443/`".into(),
            Self::NoHosts => {
                "name every host that it may be, as in `hosts: [\"*.a.example\"]`".into()
            }
            Self::Method(name) => {
                let meant = did_you_mean(name, METHODS);
                return meant.or_else(|| Some(format!("write one of {}", METHODS.join(", "))));
            }
            Self::HeaderName(_) => "use letters, digits and hyphens, as in `X-Request-Id`".into(),
            Self::Header(_) => "remove it".into(),
            Self::Body(_) => "write `query`, or another `method`".into(),
            Self::OneOf(..) => "remove the others".into(),
            Self::Host(_) => "write `a.example`, `*.a.example` or `127.0.0.1:8080`".into(),
            Self::Ok(_) => "smaller statuses are results anyway".into(),
            Self::Retry(_) => {
                "if a repetition does no harm: `annotations: {idempotent: true}`".into()
            }
            Self::Pages => "write a number such as `10`".into(),
            Self::Pointer(_) => "begin it with `/`, as in `/data/items`".into(),
            Self::Select => {
                "write `/data/name`, or an expression such as `body.data | first`".into()
            }
            Self::Kind(name) => {
                let kinds = ["text", "json", "image", "markdown"];
                let meant = did_you_mean(name, kinds);
                return meant.or_else(|| Some(format!("write one of {}", kinds.join(", "))));
            }
            Self::Wildcard => "name the hosts one by one".into(),
            Self::SamePlace(_) => "remove one of them".into(),
            Self::Variable(_) => "write `{env: NAME}`; a secret does not belong in a file".into(),
        })
    }
}
