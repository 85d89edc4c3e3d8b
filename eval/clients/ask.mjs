// Plays OpenAI's client for Node against the endpoint; see ask.py. Arguments: the folder with
// node_modules, and the part to play.
import { createRequire } from "node:module";

const [, , folder, part] = process.argv;
const OpenAI = createRequire(folder + "/")("openai");
const { BASE, TOKEN } = process.env;
const tool = { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } };

const client = (apiKey = TOKEN, maxRetries = 0) => new OpenAI.OpenAI({ baseURL: BASE + "/v1", apiKey, maxRetries, timeout: 120_000 });
const chat = (c, content, more = {}, options = {}) =>
  c.chat.completions.create({ model: "parley", messages: [{ role: "user", content }], ...more }, options);
const said = (r) => r.choices[0].message.content;

function expect(what, ok, got) {
  if (!ok) {
    console.log("WRONG:", what, got);
    process.exit(1);
  }
  console.log("ok:", what);
}

async function refused(c, what, kind, status, content = "x", more = {}) {
  try {
    expect(what, false, said(await chat(c, content, more)));
  } catch (e) {
    expect(`${what}: ${kind.name}`, e instanceof kind && e.status === status, e);
  }
}

async function streamed(stream) {
  let text = "";
  let usage;
  for await (const chunk of stream) {
    usage = chunk.usage ?? usage;
    text += chunk.choices[0]?.delta?.content ?? "";
  }
  return { text, usage };
}

const parts = {
  async all() {
    const c = client();
    const ids = [];
    for await (const m of c.models.list()) ids.push(m.id);
    expect("models", ids.includes("parley") && (await c.models.retrieve("parley")).id === "parley", ids);
    const r = await chat(c, "hello there");
    expect("an answer", said(r) === "I heard: hello there" && r.usage.total_tokens > 0, r);
    const s = await streamed(await chat(c, "tell me", { stream: true, stream_options: { include_usage: true } }));
    expect("a stream", s.text === "I heard: tell me" && s.usage.total_tokens > 0, s);
    expect("tools are ignored", said(await chat(c, "tools?", { tools: [tool] })) === "I heard: tools?");
    await refused(c, "a forced tool", OpenAI.BadRequestError, 400, "x", { tools: [tool], tool_choice: "required" });
    const headed = await chat(c, "and here?", {}, { headers: { "X-Conversation-Id": "by-header" } });
    expect("a conversation by header", said(headed) === "I heard: and here?", headed);
    await chat(c, "/tasks add milk");
    expect("a question arrives", said(await chat(c, "please delete the milk", { user: "asking" })).includes('Delete the task "milk"?'));
    expect("a yes is the next message", said(await chat(c, "yes", { user: "asking" })).includes("It is done"));
    await refused(client("parley_wrong"), "a wrong token", OpenAI.AuthenticationError, 401);
    await refused(c, "another model", OpenAI.NotFoundError, 404, "x", { model: "gpt-4o" });
    await refused(c, "two answers", OpenAI.BadRequestError, 400, "x", { n: 2 });
    const url = "data:image/png;base64," + "AAAA".repeat(4 << 20);
    await refused(c, "too much", OpenAI.APIError, 413, [{ type: "image_url", image_url: { url } }]);
  },
  async limit() {
    const c = client();
    for (let n = 0; n < 30; n++) {
      try {
        await chat(c, `too fast ${n}`);
      } catch (e) {
        expect("too fast: RateLimitError", e instanceof OpenAI.RateLimitError && Number(e.headers.get("retry-after")) > 0, e);
        return;
      }
    }
    expect("too fast", false);
  },
  async persist() {
    console.log("answered:", said(await chat(client(TOKEN, 12), "note that I must buy milk", { user: "persist" })));
  },
  async again() {
    const c = client();
    for (let n = 0; n < 100; n++) {
      try {
        const { text } = await streamed(await chat(c, "note that I must buy bread", { stream: true, user: "again" }));
        if (text) {
          console.log("answered:", text);
          return;
        }
      } catch (e) {
        console.log("cut off:", e.constructor.name);
      }
      await new Promise((done) => setTimeout(done, 300));
    }
  },
};

await parts[part]();
