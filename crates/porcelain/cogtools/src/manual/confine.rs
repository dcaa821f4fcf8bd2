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
cogtools-confine [--memory BYTES] [--processes N] [--cpu SECONDS] [--files N] [--file-size BYTES] [--parent PID] \
[--sandbox [--read PATH]… [--write PATH]… [--network | --host HOST…] [--required]] [--] PROGRAM [ARG]…";

const DESCRIPTION: &str = "\
Limits itself, then runs PROGRAM, which inherits the limits. The other programs of cogtools start \
every program of a tool, a provider or an MCP server with cogtools-confine, under the limits of \
`cogtoolrc(5)`. They use the cogtools-confine in their own folder. If it is missing, programs run in \
a process group of their own without limits, and `cogtools doctor` reports it.

The program has its own session without a terminal: it can neither read what the user types nor \
type for the user. It inherits only the standard streams. The program and its children cannot gain \
privileges from setuid programs such as sudo. It writes no core files. Signals have their default \
actions. Its variables, working directory and umask are unchanged.

On Linux, `cogtools-confine` remains until every process that the program started has ended, \
including daemons, which it adopts. When the program exits, `cogtools-confine` waits half a second \
for the remaining processes, then kills them. When its own parent exits for any reason, it kills all \
of them at once. It forwards SIGTERM, SIGINT and SIGHUP as SIGTERM; SIGQUIT kills everything. Unless \
the program runs as root, it cannot read the memory and variables of `cogtools-confine`, or of the \
process that started it, through /proc.

With --sandbox, the program and its children may read the system (/usr, /bin, /lib*, /etc, /opt, \
/proc, /sys and the package stores for all users) and the paths of --read and --write, and may write \
only the paths of --write. Without --network, they can create no sockets except connected pairs. On \
Linux, Landlock restricts files, seccomp restricts sockets, and mount namespaces hide what may not be read, and make what may not be written read-only. Older kernels enforce less: --check prints the gaps.

On other Unix systems, `cogtools-confine` sets the limits and is replaced by the program. On Windows, \
it has no effect.";

const OPTIONS: &str = "\
--memory BYTES
  The memory that each process can write (RLIMIT_DATA), and on Linux the total memory \
of all processes, with shared memory and files without a name (memfd). The total is measured every 10 to 200 ms; a program \
that exceeds it is killed, and SIGXCPU terminates `cogtools-confine`. Address space is not limited: \
runtimes reserve more than they use.

--processes N
  The number of processes and threads that may be added to the existing ones (RLIMIT_NPROC). The \
system counts all processes of the user, and none of root; `cogtools-confine` counts those of the program, as it \
measures the memory. Linux only.

--cpu SECONDS
  The CPU time of all processes together, also of those that have ended, measured as the memory is. Linux only.

--files N
  The number of files that each process may have open (RLIMIT_NOFILE).

--file-size BYTES
  The size of each file that is written (RLIMIT_FSIZE). A program that exceeds it gets SIGXFSZ.

--sandbox
  Deny access to files and sockets, except for --read, --write and --network. Each of these and the \
following options implies --sandbox.

--read PATH, --write PATH
  Permit access to PATH and everything below it. Paths are absolute and contain no links; each \
option can be given 512 times.

--deny PATH, --keep PATH
  Deny access to PATH although it is below a permitted one, or permit only to read it although it is \
below a writable one. Without namespaces, no file can be created in the folders around it.

--namespaces WHICH
  With files or all, enter new mount, IPC and UTS namespaces first, and a new user namespace unless run as root; the \
root has only what may be read. With all, enter a PID namespace, too, whose first process is `cogtools-confine`: \
the program sees no other processes, and all ends with it. Containers that hide parts of /proc \
forbid that. --check reports what the system permits to this user.

--network
  Permit sockets.

--host HOST
  Permit HOST alone, or *.HOST, with :PORT unless that is 80 or 443. The program gets a network \
namespace, in which a proxy for HTTP listens on the loopback interface, and the variables \
HTTPS_PROXY, HTTP_PROXY and NODE_USE_ENV_PROXY. Linux only; needs --namespaces unless run as root.

--required
  Do not run the program if this system cannot enforce the whole sandbox. Only Linux can: on macOS, \
sandbox-exec gets the same policy, but is untested.

--trace FILE
  Write the paths that are denied or not found to a new FILE, one to a line after read or write, if \
this system can trace a program.

--check
  Print the gaps of this system as a JSON object with system, landlock (the version, or null), \
namespaces (none, files or all) and gaps, an array of files, truncation (a protected file can be emptied) and network.

--parent PID
  The expected parent process. If it has exited, nothing is started.

--help
  Print help.

--version
  Print the version.";

const LIMITATIONS: &str = "\
Without a sandbox, a program has the rights of its user: it can read the user's files, use the \
network, and signal the user's other processes. `cogtools-tool(5)` lists the limits of a sandbox. A \
program that kills both `cogtools-confine` and its parent at once can leave processes behind. The \
system, not `cogtools-confine`, protects the variables of the host, such as Gemini CLI: see \
ptrace_scope and hidepid in proc(5).";

const STATUS: &str = "\
The status of the program. If a signal terminated the program, the same signal terminates \
`cogtools-confine`. 125: the program cannot be confined; 126: it cannot be started; 127: it does not \
exist; 2: the options are wrong.";

const EXAMPLES: &str =
    "    $ cogtools-confine --memory 67108864 --file-size 1048576 -- sh build.sh";
