#!/usr/bin/env python3
"""Writes the work halves of four public sets in one form, a file each in OUT:
[{"conv", "msgs": [{id, user, name, role, text, at}], "qs": [{q, cat, a, ev: [ids]}]}]

usage: sets.py COPIES OUT

COPIES holds git clones of dial481/locomo-audit, danny911kr/REALTALK, mohammadtavakoli78/BEAM and
nuster1128/MemSim, named NAME or OWNER+NAME/repo; a set that is not there is left out."""
import datetime
import json
import os
import random
import re
import subprocess
import sys


class Clone:
    def __init__(self, copies, owner, name):
        places = [os.path.join(copies, name), os.path.join(copies, f"{owner}+{name}", "repo")]
        self.path = next((p for p in places if os.path.isdir(p)), None)

    def git(self, *args):
        return subprocess.run(["git", "-C", self.path, *args], capture_output=True, check=True).stdout

    def json(self, path):
        return json.loads(self.git("show", "HEAD:" + path))

    def files(self, pattern):
        names = self.git("ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
        return [n for n in names if re.search(pattern, n)]


def stamp(at):
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def message(id, user, name, text, at, role=""):
    return {"id": id, "user": user, "name": name, "role": role, "text": text, "at": stamp(at)}


def question(q, cat, evidence, answer=""):
    return {"q": q, "cat": cat, "a": answer, "ev": sorted(set(evidence))}


def turns(evidence, known):
    """The ids that stand in free-form evidence such as "D1:3; D1:5"."""
    return [e for y in evidence for e in re.findall(r"D\d+:\d+", str(y)) if e in known]


def locomo(clone):
    for c in clone.json("data/locomo10.json")[:5]:
        said, n = c["conversation"], 1
        msgs = []
        while f"session_{n}" in said or f"session_{n}_date_time" in said:
            began = datetime.datetime.strptime(said[f"session_{n}_date_time"], "%I:%M %p on %d %B, %Y")
            for i, t in enumerate(said.get(f"session_{n}", [])):
                at = began + datetime.timedelta(seconds=30 * i)
                msgs.append(message(t["dia_id"], t["speaker"].lower(), t["speaker"], t["text"], at))
            n += 1
        known = {m["id"] for m in msgs}
        qs = [question(q["question"], str(q["category"]), turns(q.get("evidence", []), known)) for q in c["qa"]]
        yield {"conv": c["sample_id"], "msgs": msgs, "qs": [q for q in qs if q["ev"]]}


def realtalk(clone):
    for path in clone.files(r"^data/Chat_[1-5]_.*\.json$"):
        chat, n = clone.json(path), 1
        msgs, seen, last = [], set(), datetime.datetime(2000, 1, 1)
        while f"session_{n}" in chat:
            for t in chat[f"session_{n}"]:
                text = (t.get("clean_text") or "").strip()
                if not text or t["dia_id"] in seen:
                    continue
                seen.add(t["dia_id"])
                try:
                    at = datetime.datetime.strptime(t["date_time"], "%d.%m.%Y, %H:%M:%S")
                except (KeyError, ValueError):
                    at = last + datetime.timedelta(seconds=30)
                last = max(at, last + datetime.timedelta(seconds=1))
                msgs.append(message(t["dia_id"], t["speaker"].lower().replace(" ", "_"), t["speaker"], text, last))
            n += 1
        qs = [question(q.get("question"), str(q["category"]), turns(q.get("evidence", []), seen)) for q in chat.get("qa", [])]
        yield {"conv": os.path.basename(path)[:-5], "msgs": msgs, "qs": [q for q in qs if q["q"] and q["ev"]]}


def ids(found):
    """The numbers in nested lists and objects, as message ids."""
    if isinstance(found, int):
        return [f"m{found}"]
    if isinstance(found, dict):
        found = list(found.values())
    return [i for f in found for i in ids(f)] if isinstance(found, list) else []


def beam(clone):
    for k in range(1, 11):
        folder = f"chats/100K/{k}/"
        msgs, began = [], datetime.datetime(2024, 1, 1, 8)
        for batch in clone.json(folder + "chat.json"):
            for m in (m for turn in batch["turns"] for m in turn):
                text = re.sub(r"\s*->->.*$", "", m["content"], flags=re.S).strip()
                if text:
                    at = began + datetime.timedelta(days=5 * batch["batch_number"], minutes=len(msgs))
                    user, name = ("user", "User") if m["role"] == "user" else ("helper", "Helper")
                    msgs.append(message(f"m{m['id']}", user, name, text, at, m["role"]))
        known = {m["id"] for m in msgs}
        qs = []
        for cat, probes in clone.json(folder + "probing_questions/probing_questions.json").items():
            for p in probes:
                answer = next((str(p[a]) for a in ("answer", "ideal_response", "ideal_answer", "ideal_summary") if p.get(a)), "")
                qs.append(question(p["question"], cat, [e for e in ids(p.get("source_chat_ids") or []) if e in known], answer))
        yield {"conv": f"beam{k}", "msgs": msgs, "qs": [q for q in qs if q["ev"]]}


def memdaily(clone):
    """Every second trajectory; 400 of a kind are told one after the other, and 60 of their questions asked."""
    draw = random.Random(7)
    for kind in ("01_simple", "02_conditional", "03_comparative", "04_aggregative", "05_post_processing", "06_noisy"):
        told = []
        for what in ("events", "roles", "hybrid"):
            told += clone.json(f"data_generation/final_dataset/messages_and_QAs/{kind}_{what}.json")[::2]
        draw.shuffle(told)
        told = told[:400]
        msgs, qs = [], []
        for k, t in enumerate(told):
            for m in t["message_list"]:
                at = datetime.datetime(2024, 1, 1, 8) + datetime.timedelta(minutes=7 * len(msgs))
                msgs.append(message(f"{k}-{m['mid']}", "wo", "我", m["message"], at))
            for q in t["question_list"] if k < 240 else []:
                steps = q["target_step_id"] if isinstance(q["target_step_id"], list) else [q["target_step_id"]]
                qs.append(question(q["question"], kind, [f"{k}-{s[0] if isinstance(s, list) else s}" for s in steps]))
        draw.shuffle(qs)
        yield {"conv": kind, "msgs": msgs, "qs": qs[:60]}


SETS = {"locomo": (locomo, "dial481", "locomo-audit"), "realtalk": (realtalk, "danny911kr", "REALTALK"),
        "beam": (beam, "mohammadtavakoli78", "BEAM"), "memdaily": (memdaily, "nuster1128", "MemSim")}

if __name__ == "__main__":
    copies, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    for name, (read, owner, repo) in SETS.items():
        clone = Clone(copies, owner, repo)
        if not clone.path:
            print(f"{name}: {owner}/{repo} is not in {copies}, left out", file=sys.stderr)
            continue
        found = list(read(clone))
        with open(os.path.join(out, name + ".json"), "w") as f:
            json.dump(found, f, ensure_ascii=False)
        print(f"{name}: {len(found)} conversations, {sum(len(c['msgs']) for c in found)} messages, "
              f"{sum(len(c['qs']) for c in found)} questions")
