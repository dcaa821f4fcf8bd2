//! The sandboxes of programs, as a configuration writes them.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::config::options::Size;

/// The place of a sandbox among those that the reader of a layer has read.
#[derive(Clone, Copy, Debug)]
pub struct SandboxIndex(pub usize);

/// The files and the network that a program may reach. Nothing else is permitted.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum SandboxOptions {
    /// A sandbox by its name, `workspace`, for a tool that works on the project.
    Word(SandboxWord),
    /// Each by its name.
    Keys(SandboxKeys),
}

/// Sandboxes with a name.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub enum SandboxWord {
    /// It reads the project without its secrets, writes it without `.git` and what is run later, and
    /// has no network.
    Workspace,
}

/// The files and the network that a program may reach, each by its name.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the sandbox reads itself; this is its schema")]
pub struct SandboxKeys {
    /// Files that it may read besides the system and its own: paths from the project's root,
    /// below ~, or absolute. By default, the project. Files with secrets, such as `.env`, must be
    /// named themselves.
    ///
    /// It may execute them, too. In any case it may read the system, its own folder or package, the
    /// folders on PATH with the libraries beside them, and what version managers install in the home
    /// directory.
    #[schemars(inner(regex(pattern = r"^(~$|~/|[^~])(.*\S)?")))]
    read: Option<Vec<String>>,
    /// Files that it may also change; by default, only a temporary folder of its own. A folder of the
    /// project, or below ~, that does not exist is made.
    ///
    /// TMPDIR names the temporary folder, which is removed after the call.
    #[schemars(inner(regex(pattern = r"^(~$|~/|[^~])(.*\S)?")))]
    write: Option<Vec<String>>,
    /// The network: true, false, or the hosts that a proxy reaches, with the ports 80 and 443 unless
    /// they say otherwise. By default true for an MCP server, false for anything else.
    ///
    /// Example: `net: [api.example.com, "*.example.org:8443"]`
    ///
    /// true permits other sockets as well. The program is told of the proxy by `HTTPS_PROXY` and
    /// `HTTP_PROXY`, and must ask it. A host with a private address must be named without `*`. Where
    /// users have no namespaces, a program with a list of hosts does not run.
    net: Option<NetOptions>,
    /// The memory of all its processes together; by default, as in `limits`.
    ///
    /// Such as 256 MiB. This and the following count if they are less than `limits`.
    memory: Option<Size>,
    /// The number of processes and threads that may be added to the existing ones; by default, as in
    /// `limits`.
    #[schemars(range(min = 1))]
    processes: Option<u64>,
    /// The seconds of CPU time of all its processes together; by default, as in `limits`.
    #[schemars(range(min = 1))]
    cpu: Option<u64>,
}

/// The network that a program may use.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the sandbox reads itself; this is its schema")]
enum NetOptions {
    /// All of it, or none.
    All(bool),
    /// Hosts, each as HOST or *.HOST, with :PORT or not.
    Hosts(#[schemars(length(max = 64))] Vec<String>),
}

impl<'de> Deserialize<'de> for SandboxIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Sandbox")]
        struct Index(String);
        let Index(index) = Index::deserialize(deserializer)?;
        index.parse().map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::{Sandbox, SandboxError};

    #[test]
    fn the_schema_and_the_hint_name_every_key() {
        let schema = schemars::schema_for!(SandboxKeys);
        let declared = schema.get("properties").and_then(|it| it.as_object());
        let declared: Vec<&String> = declared.into_iter().flat_map(|it| it.keys()).collect();
        assert_eq!(declared, Sandbox::KEYS);
        let hint = SandboxError::UnknownKey("x".to_owned(), None).hint();
        assert_eq!(
            hint.replace(" and ", ", "),
            format!("its keys are {}", Sandbox::KEYS.join(", "))
        );
    }
}
