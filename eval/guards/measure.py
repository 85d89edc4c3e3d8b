#!/usr/bin/env python3
"""Measures the example guards on public recordings: which labelled breaches they stop,
and which of the benchmarks' own solutions. Needs clones of sierra-research/tau-bench
and sierra-research/tau2-bench, and a built bot. Asks no model."""
import argparse, collections, copy, csv, importlib, json, pathlib, subprocess, sys, tempfile, types

NOW = {"airline": "2024-05-15T15:00:00-05:00", "retail": "2024-05-15T15:00:00-05:00"}
HERE = pathlib.Path(__file__).resolve().parent


def args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--tau-bench", required=True, type=pathlib.Path)
    p.add_argument("--tau2-bench", required=True, type=pathlib.Path)
    p.add_argument("--bot", default="./bot", help="the built program")
    p.add_argument("--half", choices=["seen", "held", "both"], default="both")
    p.add_argument("--misses", action="store_true", help="list every breach that is not stopped, and every call that is stopped without a label")
    return p.parse_args()


def replay(bot, domain, path):
    """Returns what the guards say: {(conversation, message, tool, args): [verdict]}."""
    out = subprocess.run([bot, "playbook", "replay", str(path), "--json", "--dir", str(HERE.parent.parent / "config/guards" / domain), "--now", NOW[domain]],
                         check=True, capture_output=True, text=True).stdout
    found = collections.defaultdict(list)
    for line in out.splitlines():
        v = json.loads(line)
        found[v["conversation"], v["message"], v["tool"]].append(v)
    return found


def stopped(verdicts):
    return any(v["ruling"] in ("refused", "handoff") for v in verdicts)


def share(n, of):
    return f"{n} of {of}" + (f" ({100 * n / of:.1f} %)" if of else "")


def breaches(o):
    path = o.tau_bench / "historical_trajectories/gpt-4o-airline.json"
    said = replay(o.bot, "airline", path)
    labels = collections.defaultdict(list)
    for row in csv.DictReader(open(HERE / "airline-labels.csv")):
        if o.half in ("both", row["half"]):
            labels[row["checkable"]].append(row)
    key = lambda r: (f"{r['task']}.{r['trial']}", int(r["message"]), r["tool"])
    total = sum(map(len, labels.values()))
    yes = [r for r in labels["yes"] if stopped(said[key(r)])]
    asked = [r for r in labels["asked"] if any(v["ruling"] in ("confirm", "refused", "handoff") for v in said[key(r)])]
    no = [r for r in labels["no"] if stopped(said[key(r)])]
    print(f"airline, recorded runs, half: {o.half}")
    print("  breaches that code can check, stopped:", share(len(yes), len(labels["yes"])))
    for s in sorted({r["sentence"] for r in labels["yes"]}):
        of = [r for r in labels["yes"] if r["sentence"] == s]
        print(f"    {s}:", share(sum(stopped(said[key(r)]) for r in of), len(of)))
    print("  changes nobody said yes to, asked about first or stopped:", share(len(asked), len(labels["asked"])))
    lacking = [r for r in yes if not any(v["ruling"] in ("refused", "handoff") and not v.get("lacks") for v in said[key(r)])]
    print("    of them only since a lookup was missing:", len(lacking))
    print("  of all labelled breaches, stopped:", share(len(yes) + len(no) + sum(stopped(said[key(r)]) for r in labels["asked"]), total),
          "| stopped or asked about first:", share(len(yes) + len(no) + len(asked), total))
    known = {key(r) for rows in labels.values() for r in rows}
    halves = {"seen": [0], "held": [1], "both": [0, 1]}[o.half]
    extra = {k: v for k, v in said.items() if stopped(v) and k not in known and int(k[0].split(".")[0]) % 2 in halves}
    wrong = {k: v for k, v in extra.items() if any(x["ruling"] in ("refused", "handoff") and not x.get("lacks") for x in v)}
    calls = [k for k in said if int(k[0].split(".")[0]) % 2 in halves]
    print("  calls without a label that are refused:", share(len(extra), len(calls)), f"of the guarded calls, {len(wrong)} by a false condition, the others since nothing was looked up")
    if o.misses:
        for r in labels["yes"]:
            if not stopped(said[key(r)]):
                print("   MISSED", key(r), r["sentence"])
        for k, v in extra.items():
            for x in v:
                if x["ruling"] in ("refused", "handoff"):
                    print("   EXTRA", k, x["guard"], x.get("lacks", "")[:150])


def tools_of(root, domain):
    """The benchmark's tools, without what they need a model for."""
    for name, path in (("tau_bench", root / "tau_bench"), ("tau_bench.envs", root / "tau_bench/envs"), (f"tau_bench.envs.{domain}", root / f"tau_bench/envs/{domain}")):
        module = types.ModuleType(name)
        module.__path__ = [str(path)]
        sys.modules.setdefault(name, module)
    package = importlib.import_module(f"tau_bench.envs.{domain}.tools")
    return {t.get_info()["function"]["name"]: t for t in package.ALL_TOOLS}


def database(o, domain):
    if domain == "retail":
        return json.load(open(o.tau2_bench / "data/tau2/domains/retail/db.json"))
    folder = o.tau_bench / "tau_bench/envs/airline/data"
    return {n: json.load(open(folder / f"{n}.json")) for n in ("flights", "reservations", "users")}


def lookups(domain, name, a, data):
    """What a careful agent looks up before a changing call, from its arguments alone."""
    if domain == "airline":
        if name == "book_reservation" or name == "send_certificate":
            yield "get_user_details", {"user_id": a["user_id"]}
        rid = a.get("reservation_id")
        if rid and not name.startswith("get_"):
            yield "get_reservation_details", {"reservation_id": rid}
            if rid in data["reservations"]:
                yield "get_user_details", {"user_id": data["reservations"][rid]["user_id"]}
        if name == "update_reservation_flights":
            for f in a["flights"]:
                known = data["flights"].get(f["flight_number"])
                if known:
                    yield "search_direct_flight", {"origin": known["origin"], "destination": known["destination"], "date": f["date"]}
        return
    order = data["orders"].get(a.get("order_id"))
    user = order["user_id"] if order else a.get("user_id")
    if user in data["users"]:
        yield "find_user_id_by_email", {"email": data["users"][user]["email"]}
        yield "get_user_details", {"user_id": user}
    if order:
        yield "get_order_details", {"order_id": a["order_id"]}
        for item in order["items"]:
            if item["item_id"] in a.get("item_ids", []) and "new_item_ids" in a:
                yield "get_product_details", {"product_id": item["product_id"]}


CHANGES = ("book_", "cancel_", "update_", "send_", "modify_", "return_", "exchange_")


def recorded(o, domain, careful):
    """The solutions as conversations. With careful, each change comes after its lookups."""
    tools, original = tools_of(o.tau_bench, domain), database(o, domain)
    total = 0
    for task in json.load(open(o.tau2_bench / f"data/tau2/domains/{domain}/tasks.json")):
        data, messages = copy.deepcopy(original), []

        def call(name, a, gold):
            try:
                result = tools[name].invoke(data=data, **a) if name in tools else "Error: unknown"
            except Exception as e:
                result = f"Error: {e!r}"
            n = len(messages)
            messages.append({"role": "assistant", "content": None, "gold": gold, "tool_calls": [{"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(a)}}]})
            messages.append({"role": "tool", "tool_call_id": f"c{n}", "name": name, "content": result})

        for action in task["evaluation_criteria"]["actions"] or []:
            total += 1
            if careful and action["name"].startswith(CHANGES):
                for name, a in lookups(domain, action["name"], action["arguments"], data):
                    call(name, a, False)
            call(action["name"], action["arguments"], True)
        yield {"id": task["id"], "messages": messages}, total


def solutions(o):
    total = refused = rejected = asked = bare = 0
    for domain in ("airline", "retail"):
        for careful in (True, False):
            with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
                gold, failed, count = {}, set(), 0
                for c, count in recorded(o, domain, careful):
                    f.write(json.dumps(c) + "\n")
                    gold[c["id"]] = [m.get("gold") for m in c["messages"]]
                    failed |= {(c["id"], i) for i, m in enumerate(c["messages"][:-1]) if m.get("gold") and c["messages"][i + 1]["content"].startswith("Error")}
                f.flush()
                said = {k: v for k, v in replay(o.bot, domain, f.name).items() if gold[k[0]][k[1]]}
            bad = {k: v for k, v in said.items() if stopped(v)}
            if not careful:
                bare += len(bad)
                continue
            rejected += sum(k[:2] in failed for k in bad)
            total, refused, asked = total + count, refused + len(bad), asked + sum(any(x["ruling"] == "confirm" for x in v) for v in said.values())
            for k, v in bad.items():
                print("   STOPPED", domain, k, "as by the benchmark's own tool" if k[:2] in failed else "", [(x["guard"], x.get("lacks", "")[:200]) for x in v if x["ruling"] in ("refused", "handoff")], v[0]["args"][:200])
    print("solutions of tau2-bench, airline and retail")
    print("  stopped:", share(refused - rejected, total), f"| and {rejected} that the benchmark's own tools refuse, too | asked about first:", asked)
    print("  without the lookups that the solutions leave out, told to look up first:", share(bare, total))


if __name__ == "__main__":
    options = args()
    breaches(options)
    solutions(options)
