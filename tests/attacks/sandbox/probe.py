# Makes the attempts that it is named, and prints what became of each.
import ctypes
import errno
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys

HOME = os.path.join(os.getcwd(), "..", "home")


def connect(kind):
    with socket.socket(socket.AF_INET, kind) as sock:
        if kind == socket.SOCK_DGRAM:
            sock.sendto(b"secret", ("127.0.0.1", 9))
        else:
            sock.settimeout(1)
            sock.connect_ex(("127.0.0.1", 9))


def write(path):
    with open(path, "a") as file:
        file.write("evil\n")


def child(*line):
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        raise PermissionError(done.stderr)


def outside(what):
    """Reads about another process of the same user."""
    path = f"/proc/{os.environ['OUTSIDE']}/{what}"
    if not open(path, "rb").read():
        raise PermissionError(path)


def memory():
    bytearray(512 << 20)


def kernel(name, *args):
    """Calls a function of the C library, or a system call by its numbers."""
    libc = ctypes.CDLL(None, use_errno=True)
    if isinstance(name, str):
        result = getattr(libc, name)(*args)
    else:
        result = libc.syscall(name[os.uname().machine], *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def other(change):
    """Changes another process of the same user to what it is already."""
    change(int(os.environ["OUTSIDE"]))


def own_file(name):
    path = os.path.join(os.environ["TMPDIR"], name)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    return path


def make(mode):
    os.open(os.path.join(os.environ["TMPDIR"], "made"), os.O_CREAT | os.O_WRONLY, mode)


def secrets(*files):
    """Reads files. A file that seems to be empty would be a wrong answer, too."""
    for file in files:
        try:
            open(file).read()
            return
        except PermissionError:
            pass
    raise PermissionError(files)


def stop(process):
    """Stops what would limit this program, and lets it go on."""
    os.kill(process, signal.SIGSTOP)
    os.kill(process, signal.SIGCONT)


def folder():
    """A folder for files of another group: the system ignores the bit."""
    path = os.path.join(os.environ["TMPDIR"], "folder")
    os.mkdir(path, 0o2755)
    if not os.stat(path).st_mode & 0o2000:
        raise PermissionError(path)


def processes():
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                line = file.read()
        except (FileNotFoundError, ProcessLookupError):
            # It has exited since.
            continue
        if line.split(b"\0")[0].endswith(b"/cogtools-call"):
            return
    raise PermissionError


MQ_OPEN = {"x86_64": 240, "aarch64": 180}
FCHMODAT2 = {"x86_64": 452, "aarch64": 452}
ADD_KEY = {"x86_64": 248, "aarch64": 217}
KEYCTL = {"x86_64": 250, "aarch64": 219}
ATTEMPTS = {
    "add key": lambda: kernel(ADD_KEY, b"user", b"name", b"value", 5, -3),
    "session keys": lambda: kernel(KEYCTL, 0, -3, 0),
    "shared memory": lambda: kernel("shmget", 0, 4096, 0o1600),
    "queue": lambda: kernel("msgget", 0, 0o1600),
    "semaphore": lambda: kernel("semget", 0, 1, 0o1600),
    "limit other": lambda: other(
        lambda it: resource.prlimit(
            it, resource.RLIMIT_CORE, resource.prlimit(it, resource.RLIMIT_CORE)
        )
    ),
    "processors of other": lambda: other(
        lambda it: os.sched_setaffinity(it, os.sched_getaffinity(it))
    ),
    "schedule other": lambda: other(
        lambda it: os.sched_setscheduler(it, os.SCHED_OTHER, os.sched_param(0))
    ),
    "priority of other": lambda: other(
        lambda it: os.setpriority(os.PRIO_PROCESS, it, os.getpriority(os.PRIO_PROCESS, it))
    ),
    "own priority": lambda: os.nice(1),
    "own limit": lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    "set user id": lambda: os.chmod(own_file("a"), 0o4755),
    "set group id": lambda: os.chmod(own_file("b"), 0o2755),
    "make with user id": lambda: make(0o4755),
    "make a node with user id": lambda: os.mknod(
        os.path.join(os.environ["TMPDIR"], "node"), 0o104755
    ),
    "make": lambda: make(0o755),
    "read key": lambda: open(os.path.join(HOME, ".ssh", "key")).read(),
    "see key": lambda: os.stat(os.path.join(HOME, ".ssh", "key")),
    "see home": lambda: os.stat(os.path.join(HOME, ".ssh")),
    "see processes": processes,
    "see project": lambda: os.stat("notes"),
    "list home": lambda: os.listdir(HOME),
    "read project": lambda: open("notes").read(),
    "read secrets": lambda: secrets(".env", "app/.npmrc", ".git/config"),
    "change mode": lambda: os.chmod("notes", 0o600),
    "change times": lambda: os.utime("notes"),
    "write new": lambda: write("new"),
    "write hook": lambda: write(".git/hooks/pre-commit"),
    "move hook": lambda: shutil.move(own_file("hook"), ".git/hooks/pre-push"),
    "write makefile": lambda: write("Makefile"),
    "read through link": lambda: open("link-to-key").read(),
    "read by child": lambda: child("cat", os.path.join(HOME, ".ssh", "key")),
    "read environment": lambda: outside("environ"),
    "read map": lambda: outside("maps"),
    "raise limit": lambda: resource.setrlimit(resource.RLIMIT_DATA, (2**62, 2**62)),
    "write project": lambda: write("notes"),
    "write out": lambda: write("out/file"),
    "write home": lambda: write(os.path.join(HOME, "file")),
    "write through link": lambda: write("out/link/file"),
    "truncate": lambda: os.truncate("notes", 0),
    "remove": lambda: os.remove("notes"),
    "rename": lambda: os.rename("notes", "out/notes"),
    "link": lambda: os.link("notes", "out/hard"),
    "write by child": lambda: child("sh", "-c", "echo evil >> notes"),
    "write temporary": lambda: write(os.path.join(os.environ["TMPDIR"], "file")),
    "write /tmp": lambda: write("/tmp/cogtools-attack"),
    "service": lambda: socket.socket(socket.AF_UNIX).connect(os.path.join(HOME, "service")),
    "tcp": lambda: connect(socket.SOCK_STREAM),
    "udp": lambda: connect(socket.SOCK_DGRAM),
    "unix socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "datagram pair": lambda: socket.socketpair(type=socket.SOCK_DGRAM),
    "pair": lambda: socket.socketpair(),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
    "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    "posix queue": lambda: kernel(MQ_OPEN, b"cogtools-attack", os.O_CREAT | os.O_RDWR, 0o600, None),
    "stop supervisor": lambda: stop(os.getppid()),
    "stop its group": lambda: stop(-os.getppid()),
    "stop all": lambda: stop(-1),
    "hide files": lambda: kernel("prctl", 4, 0),
    "fchmod": lambda: os.fchmod(os.open(own_file("c"), os.O_RDONLY), 0o4755),
    "fchmodat2": lambda: kernel(FCHMODAT2, -100, own_file("d").encode(), 0o4755, 0),
    "make a folder with group id": folder,
    "signal": lambda: os.kill(int(os.environ["OUTSIDE"]), 0),
    "memory": memory,
}
for name in sys.argv[1].split(","):
    try:
        ATTEMPTS[name]()
        print(f"{name}: done")
    except (PermissionError, MemoryError):
        print(f"{name}: denied")
    except Exception as error:
        # What is not there cannot be used either.
        denied = getattr(error, "errno", None) in (errno.EROFS, errno.ENOENT, errno.ESRCH)
        print(f"{name}: {'denied' if denied else error}")
