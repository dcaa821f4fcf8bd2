//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use cogtools_hosts::HostRule;

use crate::sandbox::Namespaces;
use crate::{Failure, NAME};

/// An action of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Print this text.
    Print(String),
    /// Print what this system can enforce.
    Check,
    /// Run a program.
    Run(Box<Options>),
}

/// A program, and what it may use. Without a number, nothing is limited.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Bytes of memory, for each process and for all together.
    pub(crate) memory: Option<u64>,
    /// Processes and threads in addition to those that exist.
    pub(crate) processes: Option<u64>,
    /// Seconds of processors, for all together.
    pub(crate) cpu: Option<u64>,
    /// Open files, for each process.
    pub(crate) files: Option<u64>,
    /// Bytes in each file that it writes.
    pub(crate) file_size: Option<u64>,
    /// The process to end with, if it is still the parent.
    pub(crate) parent: Option<u32>,
    /// Files and sockets that it may reach; everything, if there is none.
    pub(crate) policy: Option<Policy>,
    /// The new file to which to write what the program is denied.
    pub(crate) trace: Option<PathBuf>,
    /// The program.
    pub(crate) program: OsString,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
}

const HELP: &str = "\
Limits itself, then runs another program and ends what that leaves behind

Usage: cogtools-confine [OPTIONS] [--] <PROGRAM> [ARGS]...

Options:
      --memory <BYTES>     Limit the memory of each process, and of all together
      --processes <N>      Limit how many processes and threads may be added
      --cpu <SECONDS>      Limit the time of processors of all together
      --files <N>          Limit the open files of each process
      --file-size <BYTES>  Limit the size of each file that is written
      --parent <PID>       End everything when this process, the parent, exits
      --sandbox            Deny files and the network, except as the next options say
      --read <PATH>        Permit to read what is there; a path without links
      --write <PATH>       Permit to read and write what is there; a path without links
      --deny <PATH>        Deny what is there, below a path that is permitted
      --keep <PATH>        Permit only to read what is there, below a path that may be written
      --namespaces <WHICH> Give it namespaces of its own, which --check must have found: files, or
                           all for one of processes, too
      --network            Permit the network
      --host <HOST>        Permit this host alone, by a proxy: HOST or *.HOST, with :PORT or not
      --required           Run nothing if this system cannot enforce that
      --trace <FILE>       Write the paths that are denied or not found to a new file, one to a
                           line after `read` or `write`, if this system can trace a program
      --check              Print what this system cannot enforce, as JSON
  -h, --help               Print help
  -V, --version            Print version
";

impl Options {
    /// Parses the command line without the program's own name.
    pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Action, Failure> {
        let mut args = args.into_iter();
        let mut options = Self::default();
        let program = loop {
            let Some(arg) = args.next() else {
                break None;
            };
            let text = arg.to_str().unwrap_or_default();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text, None),
            };
            match name {
                "--" if value.is_none() => break args.next(),
                "--check" if value.is_none() => return Ok(Action::Check),
                "-h" | "--help" => return Ok(Action::Print(HELP.to_owned())),
                "-V" | "--version" => {
                    let version = env!("CARGO_PKG_VERSION");
                    return Ok(Action::Print(format!("{NAME} {version}\n")));
                }
                _ if !arg.as_encoded_bytes().starts_with(b"-") => break Some(arg),
                _ => {
                    let value = || value.or_else(|| args.next());
                    options.set(name, value)?;
                }
            }
        };
        let program = program.filter(|program| !program.is_empty());
        let unnamed = || Failure::Usage("no program was named".to_owned());
        options.program = program.ok_or_else(unnamed)?;
        options.args = args.collect();
        Ok(Action::Run(Box::new(options)))
    }

    /// The program with its arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command
    }

    /// Sets the option `name`.
    fn set(&mut self, name: &str, value: impl FnOnce() -> Option<OsString>) -> Result<(), Failure> {
        match name {
            "--memory" => self.memory = Some(number(name, value())?),
            "--processes" => self.processes = Some(number(name, value())?),
            "--cpu" => self.cpu = Some(number(name, value())?),
            "--files" => self.files = Some(number(name, value())?),
            "--file-size" => self.file_size = Some(number(name, value())?),
            "--parent" => self.parent = Some(number(name, value())?),
            "--trace" => self.trace = Some(value().ok_or_else(|| needs(name, "a path"))?.into()),
            "--sandbox" => _ = self.policy(),
            "--network" => self.policy().network = true,
            "--required" => self.policy().required = true,
            "--namespaces" => {
                let namespaces = value().and_then(|value| Namespaces::parse(value.to_str()?));
                self.policy().namespaces =
                    namespaces.ok_or_else(|| needs(name, "`none`, `files` or `all`"))?;
            }
            "--host" => {
                let rule = value().and_then(|value| HostRule::parse(value.to_str()?));
                add(&mut self.policy().hosts, rule, name, "a host")?;
            }
            "--read" => add_path(&mut self.policy().read, value(), name)?,
            "--write" => add_path(&mut self.policy().write, value(), name)?,
            "--deny" => add_path(&mut self.policy().deny, value(), name)?,
            "--keep" => add_path(&mut self.policy().keep, value(), name)?,
            _ => {
                let message = format!("unexpected argument `{}`", name.escape_debug());
                return Err(Failure::Usage(message));
            }
        }
        Ok(())
    }

    fn policy(&mut self) -> &mut Policy {
        self.policy.get_or_insert_default()
    }
}

/// The error of the option `name` without a value that is possible.
fn needs(name: &str, what: &str) -> Failure {
    Failure::Usage(format!("`{name}` needs {what}"))
}

/// The value of the option `name`, a whole number.
fn number<N: std::str::FromStr>(name: &str, value: Option<OsString>) -> Result<N, Failure> {
    let text = value.and_then(|value| value.into_string().ok());
    let digits = text.filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| needs(name, "a whole number"))
}

/// Adds the value of the option `name` to those before it.
fn add<T>(list: &mut Vec<T>, item: Option<T>, name: &str, what: &str) -> Result<(), Failure> {
    let item = item.filter(|_| list.len() < MAX_PATHS);
    list.push(item.ok_or_else(|| needs(name, &format!("{what}, at most {MAX_PATHS} times")))?);
    Ok(())
}

fn add_path(list: &mut Vec<PathBuf>, value: Option<OsString>, name: &str) -> Result<(), Failure> {
    let path = value.map(PathBuf::from).filter(|path| path.is_absolute());
    add(list, path, name, "an absolute path")
}

/// The files and the sockets that a program may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Files and folders that it may read and execute, with all that is below.
    pub(crate) read: Vec<PathBuf>,
    /// Files and folders that it may also change.
    pub(crate) write: Vec<PathBuf>,
    /// Files and folders below `read` and `write` that it may not use.
    pub(crate) deny: Vec<PathBuf>,
    /// Files and folders below `write` that it may only read.
    pub(crate) keep: Vec<PathBuf>,
    /// The namespaces of its own that it has.
    pub(crate) namespaces: Namespaces,
    /// True if it may use sockets.
    pub(crate) network: bool,
    /// The hosts that it may reach by a proxy. There is no other network then.
    pub(crate) hosts: Vec<HostRule>,
    /// True if nothing is run where that cannot be enforced.
    pub(crate) required: bool,
}

/// Maximum number of paths on a command line.
pub(crate) const MAX_PATHS: usize = 512;

/// Paths that every program may read: the system's programs, libraries, settings, its reports on
/// itself and about processes, and where package managers put programs for all users.
#[cfg(target_os = "linux")]
pub(crate) const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr",
    "/etc",
    "/opt",
    "/proc",
    "/sys",
    "/dev/random",
    "/dev/urandom",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
    "/nix/store",
    "/run/current-system",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/snap",
    "/var/lib/ca-certificates",
];
/// Devices that every program may write.
#[cfg(target_os = "linux")]
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/zero"];

#[cfg(target_os = "linux")]
impl Policy {
    /// The policy with what every program may read and write. Its paths have no links.
    pub(crate) fn with_system(mut self) -> Self {
        for (system, paths) in [(SYSTEM, &mut self.read), (DEVICES, &mut self.write)] {
            // The system's links are its own.
            paths.extend(system.iter().flat_map(std::fs::canonicalize));
            paths.sort_unstable();
            paths.dedup();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Action, String> {
        let args = args.iter().map(OsString::from);
        Options::parse(args).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_command_line_is_read_up_to_the_program() {
        let options = |program: &str, args: &[&str]| Options {
            program: program.into(),
            args: args.iter().map(OsString::from).collect(),
            ..Options::default()
        };
        for (args, expected) in [
            (&["true"][..], options("true", &[])),
            (&["--", "true"], options("true", &[])),
            (&["--", "--help", "-x"], options("--help", &["-x"])),
            (&["a", "--memory", "1"], options("a", &["--memory", "1"])),
            (
                &["--memory", "1", "--processes=2", "--files", "3", "a", "--"],
                Options {
                    memory: Some(1),
                    processes: Some(2),
                    files: Some(3),
                    ..options("a", &["--"])
                },
            ),
            (
                &["--file-size=4", "--parent=5", "--trace=/t", "--", "a=b"],
                Options {
                    file_size: Some(4),
                    parent: Some(5),
                    trace: Some("/t".into()),
                    ..options("a=b", &[])
                },
            ),
            (
                &[
                    "--read=/a=b",
                    "--write",
                    "/c",
                    "--deny=/w/d",
                    "--namespaces=all",
                    "--network",
                    "--required",
                    "a",
                ],
                Options {
                    policy: Some(Policy {
                        read: vec!["/a=b".into()],
                        write: vec!["/c".into()],
                        deny: vec!["/w/d".into()],
                        keep: Vec::new(),
                        namespaces: Namespaces::All,
                        network: true,
                        hosts: Vec::new(),
                        required: true,
                    }),
                    ..options("a", &[])
                },
            ),
            (
                &["--sandbox", "a"],
                Options {
                    policy: Some(Policy::default()),
                    ..options("a", &[])
                },
            ),
        ] {
            assert_eq!(parse(args), Ok(Action::Run(Box::new(expected))), "{args:?}");
        }
    }

    #[test]
    fn a_wrong_command_line_is_refused() {
        for (args, expected) in [
            (&[][..], "no program was named"),
            (&["--"], "no program was named"),
            (&[""], "no program was named"),
            (&["--files", "1"], "no program was named"),
            (&["--nonsense", "a"], "unexpected argument `--nonsense`"),
            (&["-", "a"], "unexpected argument `-`"),
            (&["--=1", "a"], "unexpected argument `--`"),
            (&["--files"], "`--files` needs a whole number"),
            (&["--files", "-1", "a"], "`--files` needs a whole number"),
            (&["--files=+1", "a"], "`--files` needs a whole number"),
            (&["--files=", "a"], "`--files` needs a whole number"),
            (
                &["--read", "a", "b"],
                "`--read` needs an absolute path, at most 512 times",
            ),
            (
                &["--write"],
                "`--write` needs an absolute path, at most 512 times",
            ),
            (
                &["--parent", "99999999999", "a"],
                "`--parent` needs a whole number",
            ),
        ] {
            let expected =
                format!("{NAME}: error[USAGE]: {expected}\nhint: --help explains every option\n");
            assert_eq!(parse(args), Err(expected), "{args:?}");
        }
    }
}
