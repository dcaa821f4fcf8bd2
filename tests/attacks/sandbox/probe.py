# Makes the attempts that it is named, and prints what became of each.
import os
import resource
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


ATTEMPTS = {
    "read key": lambda: open(os.path.join(HOME, ".ssh", "key")).read(),
    "list home": lambda: os.listdir(HOME),
    "read project": lambda: open("notes").read(),
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
    "tcp": lambda: connect(socket.SOCK_STREAM),
    "udp": lambda: connect(socket.SOCK_DGRAM),
    "unix socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "datagram pair": lambda: socket.socketpair(type=socket.SOCK_DGRAM),
    "pair": lambda: socket.socketpair(),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
    "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    "signal": lambda: os.kill(int(os.environ["OUTSIDE"]), 0),
    "memory": memory,
}
for name in sys.argv[1].split(","):
    try:
        ATTEMPTS[name]()
        print(f"{name}: done")
    except (PermissionError, MemoryError) as error:
        print(f"{name}: denied")
    except Exception as error:
        print(f"{name}: {error}")
