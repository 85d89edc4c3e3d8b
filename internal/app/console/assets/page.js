"use strict";
// Everything works without this file. With it, what is marked data-live follows
// what happens, and a message is sent without leaving the page.
const live = [...document.querySelectorAll("[data-live]")];
const say = document.getElementById("say");
const log = document.getElementById("log");

// patch makes a look like b and leaves alone what is the same, what holds the
// focus, and what was opened.
function patch(a, b) {
  for (const d of b.querySelectorAll("details[id]")) d.open = !!document.getElementById(d.id)?.open;
  const next = [...b.children].map((n) => {
    const old = n.id && [...a.children].find((o) => o.id === n.id);
    return old && (old.outerHTML === n.outerHTML || old.contains(document.activeElement)) ? old : n;
  });
  next.forEach((n, i) => { if (a.children[i] !== n) a.insertBefore(n, a.children[i] ?? null); });
  while (a.children.length > next.length) a.lastElementChild.remove();
}

function show(text) {
  const doc = new DOMParser().parseFromString(text, "text/html");
  for (const a of live) {
    const b = doc.getElementById(a.id);
    if (b) patch(a, b);
  }
  if (log) log.scrollTop = log.scrollHeight;
  const id = doc.querySelector("#say [name=id]");
  if (say && id) say.elements.id.value = id.value;
  const csrf = doc.querySelector("[name=csrf]"); // of a new login in another tab
  if (csrf) for (const n of document.querySelectorAll("[name=csrf]")) n.value = csrf.value;
}

let busy = false, again = false;
async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const r = await fetch(location.href);
    if (new URL(r.url).pathname !== location.pathname) { // the login has ended
      if (!say?.elements.text.value) location.reload(); // else it waits for another one
    }
    else if (r.ok) show(await r.text());
  } catch { /* the stream tells when the bot is back */ }
  busy = false;
  if (again) { again = false; setTimeout(refresh, 100); }
}

// soon refreshes at once, and then not again for half a second.
let resting, due;
function soon() {
  if (resting) { due = true; return; }
  refresh();
  resting = setTimeout(() => { resting = null; if (due) { due = false; soon(); } }, 500);
}

let source;
function listen() {
  if (document.hidden) { source?.close(); source = null; return; }
  if (source) return;
  source = new EventSource(document.body.dataset.events);
  const status = document.getElementById("live");
  source.onopen = () => { status.textContent = " · " + status.dataset.yes; };
  source.onerror = () => {
    status.textContent = " · " + status.dataset.no;
    if (source.readyState === EventSource.CLOSED) refresh(); // the login may have ended
  };
  if (say) source.addEventListener("chat", refresh);
  else source.addEventListener("news", soon);
}
if (live.length) {
  document.addEventListener("visibilitychange", () => { listen(); if (!document.hidden) refresh(); });
  listen();
}

if (say) {
  const text = say.elements.text;
  log.scrollTop = log.scrollHeight;
  text.focus();
  text.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); say.requestSubmit(); }
  });
  say.addEventListener("submit", async (e) => {
    e.preventDefault();
    const form = new FormData(say);
    const body = say.elements.files?.files.length ? form : new URLSearchParams([...form].filter(([, v]) => typeof v === "string"));
    try {
      const r = await fetch(say.getAttribute("action"), { method: "POST", body });
      const answer = await r.text();
      if (!r.ok) throw new Error(new DOMParser().parseFromString(answer, "text/html").querySelector("main p").textContent);
      text.value = "";
      if (say.elements.files) say.elements.files.value = "";
      show(answer);
    } catch (why) { alert(say.dataset.unsent + " " + why.message); }
  });
}

for (const b of document.querySelectorAll("[data-copy]")) {
  b.hidden = false;
  b.addEventListener("click", async () => {
    const from = document.getElementById(b.dataset.copy);
    from.select();
    try { await navigator.clipboard.writeText(from.value); } catch { document.execCommand("copy"); }
    const copied = document.getElementById("copied");
    copied.textContent = copied.dataset.done;
  });
}

// Rules are tried while they are typed.
const rules = document.getElementById("rule-file");
if (rules) {
  let wait, asked = 0;
  rules.elements.text.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(async () => {
      const mine = ++asked, body = new URLSearchParams(new FormData(rules));
      body.set("do", "check");
      try {
        const r = await fetch(rules.action, { method: "POST", body });
        const doc = new DOMParser().parseFromString(await r.text(), "text/html");
        const verdict = doc.getElementById("verdict");
        if (verdict && mine === asked) document.getElementById("verdict").replaceChildren(...verdict.childNodes);
      } catch { /* the next change asks again */ }
    }, 600);
  });
}
