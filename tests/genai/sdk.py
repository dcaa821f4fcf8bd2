"""One case of the official SDK for Python, against the API of GOOGLE_GEMINI_BASE_URL.

Prints what the SDK makes of it, a line each.
"""

import json
import os
import sys

from google import genai
from google.genai import types

MODEL = "gemini-3-flash-preview"
COUNT = int(sys.argv[2])


def client():
    return genai.Client(api_key=os.environ["GEMINI_API_KEY"])


def show(*values):
    print(*(json.dumps(value, ensure_ascii=False) for value in values))


def fails(work):
    """Prints an error of the SDK."""
    try:
        show("no error", work())
    except Exception as error:
        text = str(error).splitlines()[0][:120]
        show(type(error).__name__, getattr(error, "code", None), text)


ADD = types.FunctionDeclaration(
    name="add",
    description="Adds two numbers",
    parameters_json_schema={
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
)
TOOLS = [types.Tool(function_declarations=[ADD])]


def answers(calls):
    """The parts that answer these calls."""
    return [
        types.Part(
            function_response=types.FunctionResponse(
                id=call.id,
                name=call.name,
                response={"output": call.args["a"] + call.args["b"]},
            )
        )
        for call in calls
    ]


def functions():
    """Parallel calls, a second step, an answer, and another message with all of it."""
    ai = client()
    chat = ai.chats.create(model=MODEL, config={"tools": TOOLS})
    response = chat.send_message("1+2 and 3+4, then both")
    while response.function_calls:
        show([call.args for call in response.function_calls])
        response = chat.send_message(answers(response.function_calls))
    show(response.text, response.candidates[0].finish_reason)
    show(chat.send_message("thanks").text)


def automatic():
    """The SDK itself calls a function until the model has an answer."""

    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    ai = client()
    chat = ai.chats.create(model=MODEL, config={"tools": [add]})
    show(chat.send_message("1+2").text, len(chat.get_history()))


def modes():
    config = {
        "tools": TOOLS,
        "tool_config": {
            "function_calling_config": {"mode": "ANY", "allowed_function_names": ["add"]}
        },
    }
    ai = client()
    response = ai.models.generate_content(model=MODEL, contents="1+2", config=config)
    show([call.model_dump(exclude_none=True) for call in response.function_calls])


def streams():
    """Texts, thoughts, a call and its answer, as streams of one chat."""
    config = {"tools": TOOLS, "thinking_config": {"include_thoughts": True}}
    ai = client()
    chat = ai.chats.create(model=MODEL, config=config)

    def collect(message):
        return [chunk.text for chunk in chat.send_message_stream(message)]

    show(collect("hi"))
    calls = []
    for chunk in chat.send_message_stream("1+2"):
        calls.extend(chunk.function_calls or [])
    show([call.args for call in calls])
    show(collect(answers(calls)))
    show(collect("and so on"))


def caches():
    ai = client()
    cache = ai.caches.create(model=MODEL, config={"contents": "x" * 10000, "ttl": "900s"})
    show(cache.name, cache.model, cache.usage_metadata.total_token_count)
    response = ai.models.generate_content(
        model=MODEL, contents="hi", config={"cached_content": cache.name}
    )
    usage = response.usage_metadata
    show(response.text, usage.prompt_token_count, usage.cached_content_token_count)
    updated = ai.caches.update(name=cache.name, config={"ttl": "1800s"})
    show((updated.expire_time - cache.expire_time).total_seconds() >= 900)
    show([one.name for one in ai.caches.list()], ai.caches.get(name=cache.name).name)
    ai.caches.delete(name=cache.name)
    fails(lambda: ai.caches.get(name=cache.name))
    fails(lambda: ai.caches.create(model=MODEL, config={"contents": "small"}))


def models():
    ai = client()
    show(ai.models.get(model=MODEL).input_token_limit)
    show([one.name for one in ai.models.list()])
    show(ai.models.count_tokens(model=MODEL, contents="twelve chars").total_tokens)


def outcomes():
    ai = client()
    for _ in range(COUNT):
        response = ai.models.generate_content(model=MODEL, contents="hi")
        reason = response.candidates[0].finish_reason if response.candidates else None
        feedback = response.prompt_feedback
        show(response.text, reason, feedback.block_reason if feedback else None)


def errors():
    ai = client()
    for _ in range(COUNT):
        fails(lambda: ai.models.generate_content(model=MODEL, contents="hi"))
    fails(lambda: ai.models.generate_content(model="gemini-0", contents="hi"))


def breaks():
    ai = client()

    def stream():
        chunks = ai.models.generate_content_stream(model=MODEL, contents="hi")
        return [chunk.text for chunk in chunks]

    for _ in range(COUNT):
        fails(stream)


def vertex():
    """The addresses and the token of Vertex AI."""
    from google.oauth2.credentials import Credentials

    ai = genai.Client(
        vertexai=True,
        project="p",
        location="l",
        credentials=Credentials("dummy"),
        http_options={"base_url": os.environ["GOOGLE_GEMINI_BASE_URL"]},
    )
    show(ai.models.generate_content(model=MODEL, contents="hi").text)
    stream = ai.models.generate_content_stream(model=MODEL, contents="hi")
    show([chunk.text for chunk in stream])
    show(ai.models.count_tokens(model=MODEL, contents="twelve chars").total_tokens)


globals()[sys.argv[1]]()
