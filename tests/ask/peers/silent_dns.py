"""Runs a command where the name server never answers. Needs namespaces of its own.

Usage: unshare --user --map-root-user --mount --net python3 silent_dns.py COMMAND...
The number of questions that were asked is in the file `asked` afterwards.
"""

import fcntl
import socket
import struct
import subprocess
import sys

SIOCSIFFLAGS, IFF_UP = 0x8914, 1

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(server, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
server.bind(("127.0.0.1", 53))
with open("resolv.conf", "w") as file:
    file.write("nameserver 127.0.0.1\n")
subprocess.run(["mount", "--bind", "resolv.conf", "/etc/resolv.conf"], check=True)
status = subprocess.run(sys.argv[1:]).returncode
server.setblocking(False)
asked = 0
try:
    while server.recv(512):
        asked += 1
except BlockingIOError:
    pass
with open("asked", "w") as file:
    file.write(f"{asked}\n")
sys.exit(status)
