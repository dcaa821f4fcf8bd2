"""LLMock, which breaks what it sends as its arguments say, one for each request, and judges the
client. Prints its address.

python llmock_server.py (ok | fail | malformed_arguments | unknown_tool | disconnect | …)…
"""

import dataclasses
import sys
import threading

from llmock.scenarios import Fail, StreamFault, ToolFault
from llmock.testing import LLMockServer

TOOLS = ("malformed_arguments", "unknown_tool")


def fault(kind):
    if kind == "fail":
        return Fail(503, retry_after=1)
    return ToolFault(kind) if kind in TOOLS else StreamFault(kind)


with LLMockServer() as server:
    # A client that stops reading has to be seen before everything is sent.
    pace = dataclasses.replace(server.state.stream_chaos, chunk_delay_ms=100)
    server.state.stream_chaos = pace
    for kind in sys.argv[1:]:
        server.state.scenarios.add(fault(kind))
    print(server.url, flush=True)
    threading.Event().wait()
