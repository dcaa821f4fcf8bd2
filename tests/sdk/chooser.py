"""Chooses a tool by its words (BM25), as a model that reads nothing else would: a request of the Gemini
API on standard input, a response on standard output.
"""

import json
import math
import re
import sys
from collections import Counter

NUMBER, NAME = r"#?(\d+)", r"([\w.-]+)/([\w.-]+)"


def words(text):
    return [word.rstrip("s") for word in re.findall(r"[a-z]+", text.lower())]


def choose(task, tools):
    """The tool whose name and description fit best."""
    texts = [Counter(words(tool["name"] + " " + tool.get("description", ""))) for tool in tools]
    mean = sum(sum(text.values()) for text in texts) / len(texts)
    found = Counter(word for text in texts for word in text)

    def score(text):
        norm = 1.5 * (0.25 + 0.75 * sum(text.values()) / mean)
        return sum(
            math.log(1 + (len(texts) - found[word] + 0.5) / (found[word] + 0.5)) * text[word] * 2.5 / (text[word] + norm)
            for word in set(words(task))
        )

    return tools[max(range(len(tools)), key=lambda index: score(texts[index]))]


def arguments(task, tool):
    """The required arguments, as far as the task has something of that form."""
    repository = re.search(NAME, task)
    number = re.search(NUMBER, task)
    quoted = re.findall(r'"([^"]*)"', task)
    schema = tool.get("parametersJsonSchema") or tool.get("parameters") or {}
    given = {}
    for name in schema.get("required", []):
        kind = schema["properties"][name].get("type")
        if name in ("owner", "repo") and repository:
            given[name] = repository[1 if name == "owner" else 2]
        elif kind in ("integer", "INTEGER") and number:
            given[name] = int(number[1])
        elif quoted:
            value = quoted.pop(0)
            given[name] = [value] if kind in ("array", "ARRAY") else value
    return given


request = json.load(sys.stdin)
last = request["contents"][-1]["parts"][0]
if "functionResponse" in last:
    part = {"text": "done"}
else:
    task = last["text"]
    tool = choose(task, [it for group in request["tools"] for it in group["functionDeclarations"]])
    part = {"functionCall": {"name": tool["name"], "args": arguments(task, tool)}}
size = len(json.dumps(request["tools"]))
json.dump(
    {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": size // 4, "candidatesTokenCount": 1, "totalTokenCount": size // 4 + 1},
    },
    sys.stdout,
)
