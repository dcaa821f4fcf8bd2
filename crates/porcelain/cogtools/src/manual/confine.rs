//! cogtools-confine(1), which has no command of clap to make its page from.

use super::Section;

pub(super) fn sections() -> Vec<Section> {
    let sections = [
        ("SYNOPSIS", SYNOPSIS),
        ("DESCRIPTION", DESCRIPTION),
        ("OPTIONS", OPTIONS),
        ("LIMITATIONS", LIMITATIONS),
        ("EXIT STATUS", STATUS),
        ("EXAMPLES", EXAMPLES),
    ];
    sections
        .map(|(title, text)| (title, text.to_owned()))
        .to_vec()
}

const SYNOPSIS: &str = "\
cogtools-confine [--memory BYTES] [--processes N] [--files N] [--file-size BYTES] [--parent PID] \
[--sandbox [--read PATH]… [--write PATH]… [--network] [--required]] [--] PROGRAM [ARG]…";

const DESCRIPTION: &str = "\
Limits itself, then runs PROGRAM, which inherits the limits. The other programs of cogtools start \
every program of a tool, a provider or an MCP server through it, with the limits of \
`cogtoolrc(5)`, if it is in their own folder. Where it is not, such a program only leads a process \
group, and `cogtools doctor` says so.

The program has its own session without a terminal: it can neither read what the user types nor \
type for the user. It inherits no file descriptors but the standard streams. It and all that it \
starts can gain no privileges by setuid programs such as sudo. It writes no core files. Signals \
have their default actions. Its variables, working directory and umask are unchanged.

On Linux, `cogtools-confine` stays until nothing is left of what the program has started, also of \
daemons, which it adopts. When the program exits, it waits half a second for the rest, then kills \
it; it kills all of it at once when its own parent exits, however that happens. It passes on \
SIGTERM, SIGINT and SIGHUP as SIGTERM; SIGQUIT kills everything. Neither its memory and variables, \
nor those of the process that started it, can be read by the program through /proc, unless it runs \
as root.

With --sandbox the program, and all that it starts, may read the system (/usr, /bin, /lib*, /etc, \
/opt, /proc, /sys and the stores of packages for all users) and what --read and --write name, and \
write what --write names; unless --network is given, it makes no sockets but pairs of connected \
ones. On Linux, Landlock enforces that for files and seccomp for sockets. The kernel's version \
decides how much: --check prints what it lacks.

On other Unix systems, it becomes the program. On Windows there is nothing of this.";

const OPTIONS: &str = "\
--memory BYTES
  The memory that each process can write (RLIMIT_DATA). Address space is not limited: runtimes \
reserve more than they use.

--processes N
  How many processes and threads may be added to those that exist (RLIMIT_NPROC). The system \
counts all processes of the user, and does not limit root. Linux only.

--files N
  How many files each process may have open (RLIMIT_NOFILE).

--file-size BYTES
  The size of each file that is written (RLIMIT_FSIZE). A program that exceeds it gets SIGXFSZ.

--sandbox
  Deny files and sockets, except as the next four options say. Each of them implies it.

--read PATH, --write PATH
  Permit what is there, and all that is below: absolute paths without links, up to 512 of each.

--network
  Permit sockets.

--required
  Run nothing if this system cannot enforce all of that. On macOS, where \
sandbox-exec gets the same policy but is untested, and on other systems, this option runs nothing.

--check
  Print what this system cannot enforce: a JSON object with system, landlock (the version, or null) \
and gaps, an array of files, truncation (a file that may not be written can be emptied) and network.

--parent PID
  The process that must be the parent. If it is not, because it has exited, nothing is started.

--help
  Print help.

--version
  Print the version.";

const LIMITATIONS: &str = "\
Without a sandbox, a program has the rights of its user: it can read the user's files, use the \
network, and signal the user's other processes. What a sandbox does not stop is in \
`cogtools-tool(5)`. A program that kills both this \
process and its parent at once can leave others behind. The variables of the host, such as Gemini \
CLI, are in the hands of the system: see ptrace_scope and hidepid in proc(5).";

const STATUS: &str = "\
The status of the program; or the same signal, if a signal has terminated it. 125 if it cannot be \
confined, 126 if it cannot be started, 127 if it does not exist, 2 if the options are wrong.";

const EXAMPLES: &str =
    "    $ cogtools-confine --memory 67108864 --file-size 1048576 -- sh build.sh";
