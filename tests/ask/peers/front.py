"""TLS in front of a server on this machine; a client may ask for it as for a proxy. Prints its
address; keeps what it is asked for as a proxy in the file `asked`.

python front.py CERTIFICATE KEY PORT
"""

import socket
import ssl
import sys
import threading

certificate, key, port = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
listener = socket.create_server(("127.0.0.1", 0))
print(f"https://127.0.0.1:{listener.getsockname()[1]}", flush=True)


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(client):
    if client.recv(7, socket.MSG_PEEK) == b"CONNECT":
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(1)
        with open("asked", "a") as asked:
            asked.write(head.decode().splitlines()[0] + "\n")
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    try:
        client = context.wrap_socket(client, server_side=True)
    except OSError:
        return
    server = socket.create_connection(("127.0.0.1", int(port)))
    threading.Thread(target=copy, args=(server, client), daemon=True).start()
    copy(client, server)


while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
