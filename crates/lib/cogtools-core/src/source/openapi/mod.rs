//! A specification in OpenAPI 3 or Swagger 2, whose operations are tools.
//!
//! An operation becomes a tool file in memory, with `implementation: {http: …}`: everything else is
//! as for a tool of the project, its approval too.

mod name;
mod operation;
mod remote;
mod schema;
mod server;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::name::{constant, name as tool_name, variable};
pub use self::operation::Operation;
use self::remote::Remote;

use super::{Candidate, Declared, Listing, SourceError};
use crate::file::{self, ReadScope};
use crate::text::Text;
use crate::tool::{Author, Provenance, ToolError};
use crate::{Code, Context, Diagnostic, Name, Tool, yaml};

/// The largest file, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Why an operation with a relative URL is no tool.
const NO_HOST: &str = "its server has no host";

/// The options of a specification, but not its place.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Options {
    /// Its name in messages and in variables.
    pub name: String,
    /// The prefix of the names of its tools.
    pub prefix: String,
    /// The URL of the specification, which the relative URL of a server is resolved against.
    #[serde(skip)]
    pub base: Option<String>,
    /// The URL of the server, instead of that in the file.
    pub server: Option<String>,
    /// Variables in the URL of the server.
    pub variables: BTreeMap<String, String>,
    /// Credentials by scheme.
    pub auth: Map<String, Value>,
    /// Further hosts.
    pub hosts: Vec<String>,
    /// Further headers.
    pub headers: Map<String, Value>,
    /// The time limit of a call, in seconds.
    pub timeout: Option<f64>,
    /// The operations that are tools; all if there are none.
    pub include: Vec<String>,
    /// The operations that are not.
    pub exclude: Vec<String>,
    /// Changes by operation.
    pub overrides: BTreeMap<String, Override>,
}

/// Changes of one operation.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Override {
    /// The name of the tool.
    pub name: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its annotations.
    pub annotations: Option<Value>,
    /// Values that are sent, and not declared.
    pub set: Map<String, Value>,
    /// The part of the response that is the result.
    pub response: Option<Value>,
    /// Statuses from 400 that are results.
    pub ok: Vec<u16>,
    /// The time limit of a call, in seconds.
    pub timeout: Option<f64>,
}

/// The tools of a specification, and the number of operations that are none.
type Review = Result<(Vec<Tool>, usize), Box<Diagnostic>>;

/// A specification in a file, or at a URL.
#[derive(Clone, Debug)]
pub struct Specification {
    place: Place,
    /// The file or the URL, for messages.
    display_path: PathBuf,
    /// True if the user has configured it.
    pub(crate) is_users: bool,
    options: Arc<Options>,
    root: Arc<OnceLock<Result<Value, Fault>>>,
    operations: Arc<OnceLock<Result<Vec<Arc<Operation>>, Fault>>>,
    review: Arc<OnceLock<Review>>,
}

#[derive(Clone, Debug)]
enum Place {
    File(PathBuf, ReadScope),
    Url(Arc<Remote>),
}

/// Why a specification, or one of its operations, is not used: the message, and the hint.
type Unusable = (String, &'static str);

/// Why a specification has no tools.
#[derive(Clone, Debug)]
enum Fault {
    Unusable(Unusable),
    /// It is at a URL, and the user has not approved it; true if it has changed.
    NotApproved(bool),
    /// It is at a URL, and nothing may be requested now.
    Absent,
}

impl From<Unusable> for Fault {
    fn from(unusable: Unusable) -> Self {
        Self::Unusable(unusable)
    }
}

impl Specification {
    /// Makes the specification in the file at `path` in `scope`.
    pub fn new(
        path: PathBuf,
        display_path: PathBuf,
        scope: ReadScope,
        is_users: bool,
        options: Options,
    ) -> Self {
        Self::at(Place::File(path, scope), display_path, is_users, options)
    }

    fn at(place: Place, display_path: PathBuf, is_users: bool, options: Options) -> Self {
        Self {
            place,
            display_path,
            is_users,
            options: Arc::new(options),
            root: Arc::default(),
            operations: Arc::default(),
            review: Arc::default(),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.options.name
    }

    pub(super) fn find(&self, name: &Name, cx: &Context) -> Result<Option<Tool>, ToolError> {
        if !name::may_begin_with(name.as_str(), &self.options.prefix) {
            return Ok(None);
        }
        // A call needs one operation of thousands.
        let operations = self.read(cx, Some(name.as_str())).unwrap_or_default();
        let found = operations.iter().find(|it| it.document.is_ok());
        found.map(|operation| self.load(operation)).transpose()
    }

    pub(super) fn list(&self, cx: &Context) -> Listing {
        let mut listing = Listing::default();
        let operations = match self.operations(cx) {
            Ok(operations) => operations,
            Err(fault) => {
                listing.errors.extend(self.error(fault));
                return listing;
            }
        };
        for operation in operations {
            match &operation.document {
                Ok(_) => listing.entries.push(Candidate {
                    name: operation.name.clone().into(),
                    path: PathBuf::new(),
                    display_path: self.shown(operation),
                    provenance: Arc::new(self.provenance()),
                    scope: ReadScope::User,
                    declared: Some(Declared::Operation(self.clone(), Arc::clone(operation))),
                }),
                Err(reason) => listing.errors.push(SourceError::Operation {
                    name: self.options.name.clone(),
                    operation: operation.id.clone(),
                    followers: operation.followers,
                    reason: reason.clone(),
                }),
            }
            let parameters = operation.left_out.iter();
            let is_tool = operation.document.is_ok();
            let left_out = parameters.map(|(parameter, reason)| SourceError::Parameter {
                name: self.options.name.clone(),
                operation: operation.id.clone(),
                parameter: parameter.clone(),
                reason: reason.clone(),
            });
            listing.errors.extend(left_out.filter(|_| is_tool));
        }
        if let Some(Ok(root)) = self.root.get() {
            let unused = operation::unused(root, &self.options, operations);
            let name = &self.options.name;
            let unused = unused.into_iter();
            let errors = unused.map(|(key, it)| SourceError::Unused(name.clone(), key, it));
            listing.errors.extend(errors);
        }
        listing
            .entries
            .sort_by(|one, other| one.name.cmp(&other.name));
        listing
    }

    /// Makes the tool of an operation.
    pub(super) fn load(&self, operation: &Operation) -> Result<Tool, ToolError> {
        let document = operation.document.as_ref().map(Value::to_string);
        let text = Text::new(
            self.shown(operation),
            document.unwrap_or_default().into_bytes(),
        );
        let tool = Tool::parse(text.map_err(ToolError::Text)?)?.without_invisible();
        let tool = tool.from(Arc::new(self.provenance()));
        let tool = tool.with_alternatives(&operation.variables);
        Ok(tool.with_advisory_output(operation.output.as_ref()))
    }

    fn shown(&self, operation: &Operation) -> PathBuf {
        PathBuf::from(format!("{}: {}", self.options.name, operation.id))
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            source: self.options.name.clone(),
            toolset: Some(self.options.name.clone()),
            author: match &self.place {
                _ if self.is_users => Author::User,
                Place::File(..) => Author::Project,
                Place::Url(_) => Author::Provider,
            },
            grant: match &self.place {
                Place::Url(remote) if !self.is_users => remote.approved().cloned(),
                _ => None,
            },
        }
    }

    fn operations(&self, cx: &Context) -> Result<&[Arc<Operation>], &Fault> {
        let read = || Ok(self.read(cx, None)?.into_iter().map(Arc::new).collect());
        self.operations.get_or_init(read).as_deref()
    }

    /// Reads all operations, or those that are named `only`, which is for a call.
    fn read(&self, cx: &Context, only: Option<&str>) -> Result<Vec<Operation>, Fault> {
        let root = self.root.get_or_init(|| match &self.place {
            Place::File(path, scope) => Ok(read(path, scope)?),
            Place::Url(remote) => self.read_remote(remote, only.is_some(), cx),
        });
        let root = root.as_ref().map_err(Clone::clone)?;
        Ok(self.operations_of(root, cx, only)?)
    }

    fn operations_of(
        &self,
        root: &Value,
        cx: &Context,
        only: Option<&str>,
    ) -> Result<Vec<Operation>, Unusable> {
        let has = |names: &[String]| cx.env_of(self.is_users, names).is_ok();
        operations(root, &self.options, &has, only)
    }

    fn error(&self, fault: &Fault) -> Option<SourceError> {
        match fault {
            Fault::Unusable((message, hint)) => {
                let path = self.display_path.clone();
                Some(SourceError::Specification(path, message.clone(), hint))
            }
            Fault::NotApproved(has_changed) => {
                let name = self.options.name.clone();
                Some(SourceError::NotApproved(name, *has_changed))
            }
            Fault::Absent => None,
        }
    }
}

/// Reads the specification in the file at `path` in `scope`, in YAML or JSON.
///
/// # Errors
///
/// The message and the hint.
pub fn read(path: &Path, scope: &ReadScope) -> Result<Value, Unusable> {
    let read = file::read(path, scope, MAX_BYTES).map_err(|error| {
        let hint = if error.is_too_large() {
            "split it"
        } else {
            "name a file of the project"
        };
        (error.to_string(), hint)
    });
    parse(path, read?.0)
}

/// Reads the specification in `bytes`, in YAML or JSON, which are at `path`.
fn parse(path: &Path, bytes: Vec<u8>) -> Result<Value, Unusable> {
    let is_json = bytes.trim_ascii_start().starts_with(b"{");
    let root = if is_json {
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    } else {
        let text = Text::new(path, bytes).map_err(|error| error.to_string());
        text.and_then(|text| {
            // Most parsers of specifications accept statuses without quotes.
            let parsed = yaml::parse_with_number_keys(&text).map(|node| node.to_json());
            parsed.map_err(|error| error.diagnostic(Code::InvalidConfig, &text).summary())
        })
    };
    let root: Value = root.map_err(|error| (error, "convert it to JSON, or correct it"))?;
    let version = root.get("openapi").or(root.get("swagger"));
    let version = version.map(|it| it.to_string().trim_matches('"').to_owned());
    let is_known = |version: &String| version.starts_with("3.") || version.starts_with("2.");
    match version.filter(is_known) {
        Some(_) => Ok(root),
        None => Err((
            "it is no specification in OpenAPI 3 or Swagger 2".to_owned(),
            "it begins with `openapi: 3.1.0`, `openapi: 3.0.3` or `swagger: \"2.0\"`",
        )),
    }
}

/// Finds the operations of the specification `root`, as tools: all, or those that are named `only`.
///
/// # Errors
///
/// The message and the hint.
pub fn operations(
    root: &Value,
    options: &Options,
    has: &dyn Fn(&[String]) -> bool,
    only: Option<&str>,
) -> Result<Vec<Operation>, Unusable> {
    let mut operations = operation::operations(root, options, has, only);
    let has_host = |operation: &Operation| {
        let document = operation.document.as_ref().ok()?;
        let url = document.pointer("/implementation/http/url")?.as_str()?;
        Some(url.contains("://"))
    };
    let hosts: Vec<bool> = operations.iter().filter_map(has_host).collect();
    if !hosts.is_empty() && !hosts.contains(&true) {
        return Err((
            NO_HOST.to_owned(),
            "name it, as in `server: https://api.example.com/v1`",
        ));
    }
    for operation in &mut operations {
        if has_host(operation) == Some(false) {
            operation.document = Err(NO_HOST.to_owned());
        }
    }
    Ok(operations)
}
