"""Plays OpenAI's client for Python, or litellm, against the endpoint. Arguments: the client
(openai, litellm) and the part to play (all, limit, persist, again). The address and the token
are in BASE and TOKEN. Prints what was answered; ends with 1 if something is not as it should be."""

import os
import sys
import time

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
BASE, TOKEN = os.environ["BASE"] + "/v1", os.environ["TOKEN"]
PIXEL = ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Qz0AEYBxVSF+FABJ"
         "ADveWkH6oAAAAAElFTkSuQmCC")
# A conversation of its own, without the picture of another, which has the bot ask first. litellm
# does not pass "user" on.
OWN = {"X-Conversation-Id": "own"}
TOOL = {"type": "function", "function": {"name": "weather", "description": "Weather", "parameters": {"type": "object", "properties": {}}}}


class Official:
    def __init__(self, token=TOKEN, retries=0):
        import openai

        self.errors = openai
        self.client = openai.OpenAI(base_url=BASE, api_key=token, max_retries=retries, timeout=120)

    def chat(self, content, **more):
        return self.client.chat.completions.create(model=more.pop("model", "parley"), messages=[{"role": "user", "content": content}], **more)

    def models(self):
        return [m.id for m in self.client.models.list()] + [self.client.models.retrieve("parley").id]


class Lite(Official):
    def __init__(self, token=TOKEN, retries=0):
        import litellm

        self.errors, self.token, self.retries = litellm, token, retries
        litellm.suppress_debug_info = True

    def chat(self, content, **more):
        return self.errors.completion(model="openai/" + more.pop("model", "parley"), api_base=BASE, api_key=self.token, max_retries=self.retries,
                                      timeout=120, messages=[{"role": "user", "content": content}], **more)

    def models(self):
        return ["parley"]


def expect(what, ok, got=""):
    if not ok:
        print("WRONG:", what, got)
        sys.exit(1)
    print("ok:", what)


def said(r):
    return r.choices[0].message.content


def streamed(stream):
    text, usage = "", None
    for chunk in stream:
        usage = getattr(chunk, "usage", None) or usage
        if chunk.choices:
            text += chunk.choices[0].delta.content or ""
    return text, usage


def refused(client, what, kind, status, content="x", **more):
    try:
        got = said(client.chat(content, **more))
    except getattr(client.errors, kind) as e:
        expect(f"{what}: {kind}", status is None or getattr(e, "status_code", None) == status, repr(e))
        return e
    expect(what, False, got)


def everything(make):
    c = make()
    expect("models", "parley" in c.models())
    r = c.chat("hello there")
    expect("an answer", said(r) == "I heard: hello there" and r.choices[0].finish_reason == "stop" and r.usage.total_tokens > 0, r)
    text, usage = streamed(c.chat("tell me", stream=True, stream_options={"include_usage": True}))
    expect("a stream", text == "I heard: tell me" and usage and usage.total_tokens > 0, (text, usage))
    r = c.chat("tools?", tools=[TOOL])
    expect("tools are ignored", said(r) == "I heard: tools?" and not r.choices[0].message.tool_calls, r)
    refused(c, "a forced tool", "BadRequestError", 400, tools=[TOOL], tool_choice="required")
    r = c.chat([{"type": "text", "text": "what is this?"}, {"type": "image_url", "image_url": {"url": PIXEL}}])
    expect("a picture", "what is this?" in said(r), r)
    c.chat("remember one", user="a")
    expect("a conversation by user", said(c.chat("what did I say?", user="b")) == "I heard: what did I say?")
    r = c.chat("what did I say?", extra_headers={"X-Conversation-Id": "by-header"})
    expect("a conversation by header", said(r) == "I heard: what did I say?", r)
    c.chat("/tasks add milk")
    expect("a question arrives", 'Delete the task "milk"?' in said(c.chat("please delete the milk", user="asking")))
    expect("a yes is the next message", "It is done" in said(c.chat("yes", user="asking")))
    refused(make("parley_wrong"), "a wrong token", "AuthenticationError", 401)
    refused(c, "another model", "NotFoundError", 404, model="gpt-4o")
    refused(c, "two answers", "BadRequestError", 400, n=2)
    big = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "AAAA" * (4 << 20)}}
    kind = "APIStatusError" if hasattr(c.errors, "APIStatusError") else "APIError"
    refused(c, "too much", kind, 413, content=[big])


def limit(make):
    c = make()
    for n in range(30):
        try:
            c.chat(f"too fast {n}")
        except c.errors.RateLimitError as e:
            expect("too fast: RateLimitError", int(e.response.headers.get("retry-after", "0")) > 0, repr(e))
            return
    expect("too fast", False)


def persist(make):
    """The client tries again by itself, while the bot is killed and starts again."""
    print("answered:", said(make(retries=12).chat("note that I must buy milk", extra_headers=OWN)))


def again(make):
    """A stream is cut off by a kill; the person sends the same again."""
    c = make()
    for _ in range(100):
        try:
            text, _usage = streamed(c.chat("note that I must buy bread", stream=True, extra_headers=OWN))
            if text:
                print("answered:", text)
                return
        except Exception as e:  # what a cut connection raises differs
            print("cut off:", type(e).__name__)
        time.sleep(0.3)


if __name__ == "__main__":
    make = {"openai": Official, "litellm": Lite}[sys.argv[1]]
    {"all": everything, "limit": limit, "persist": persist, "again": again}[sys.argv[2]](make)
