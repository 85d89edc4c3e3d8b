"""Renders chat requests through published chat templates, as servers do.

Reads one JSON object a line from standard input, {"template": PATH, "request":
{"messages": [...], "tools": [...]}}, and answers each with a line:
{"prompt": TEXT} or {"error": TEXT}. It fetches nothing. Needs Jinja2 (pinned
in requirements.txt).

What is done to a request before the template sees it is what llama.cpp's server,
vLLM and transformers do: arguments of calls become objects where the template
takes them, and lists of parts become text unless the template tells parts apart.
"""

import datetime
import json
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox


class GenerationTag(jinja2.ext.Extension):
    """transformers' {% generation %}, which only marks what an assistant said."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.Scope(body, lineno=line)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def environment():
    env = jinja2.sandbox.SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, "jinja2.ext.loopcontrols"]
    )
    env.filters["tojson"] = lambda x, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys, default=list
    )
    env.filters["fromjson"] = json.loads
    env.tests["sequence"] = lambda v: isinstance(v, (list, tuple))
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: datetime.datetime(2026, 1, 2).strftime(form)
    return env


def prepared(message, parts, objects):
    m = {k: v for k, v in message.items() if v is not None}
    m.setdefault("content", "")
    if isinstance(m["content"], list) and not parts:
        m["content"] = "\n".join(p["text"] for p in m["content"] if p.get("type") == "text")
    if objects and m.get("tool_calls"):
        m["tool_calls"] = [
            {**c, "function": {**c["function"], "arguments": json.loads(c["function"]["arguments"] or "{}")}}
            for c in m["tool_calls"]
        ]
    return m


def render(env, source, request, objects=True):
    parts = "'image'" in source or '"image"' in source or "image_url" in source
    given = {
        "messages": [prepared(m, parts, objects) for m in request["messages"]],
        "add_generation_prompt": True,
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
    }
    if request.get("tools"):
        given["tools"] = request["tools"]
    given["functions"] = json.dumps(request.get("tools") or [])  # firefunction's name for them
    given["datetime"] = "2026-01-02"
    return env.from_string(source).render(**given)


def main():
    env, sources = environment(), {}
    for line in sys.stdin:
        asked = json.loads(line)
        path = asked["template"]
        if path not in sources:
            with open(path, encoding="utf-8") as f:
                sources[path] = f.read()
        try:
            try:
                answer = {"prompt": render(env, sources[path], asked["request"])}
            except TypeError:  # llama.cpp's server tries a template with both forms of arguments
                answer = {"prompt": render(env, sources[path], asked["request"], objects=False)}
        except Exception as e:  # whatever a template raises is the answer
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
