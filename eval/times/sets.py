#!/usr/bin/env python3
"""Writes what the reader of times is measured on to OUT, a JSON object a line: lang, text (the
expression alone), said (the sentence it stands in), now (with its zone), kind (date, datetime or
time of day) and want (each right answer).

usage: sets.py COPIES OUT

COPIES is as in eval/recall/sets.py, with facebook/duckling, microsoft/Recognizers-Text and
wanasit/chrono. Only sentences whose SHA-1 begins with an even hexadecimal digit are written, and
of those only what names one moment."""
import hashlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recall"))
import sets  # noqa: E402

LANGUAGES = {"English": "en", "German": "de", "French": "fr", "Spanish": "es", "Chinese": "zh"}
STRING = r'"((?:[^"\\]|\\.)*)"'


def recognizers(clone):
    for name, lang in LANGUAGES.items():
        path = f"Specs/DateTime/{name}/DateTimeModel.json"
        for case in json.loads(clone.git("show", "HEAD:" + path).decode("utf-8-sig")):
            found = case.get("Results") or []
            now = (case.get("Context") or {}).get("ReferenceDateTime")
            if len(found) != 1 or "TypeName" not in found[0] or not now:
                continue
            kind = found[0]["TypeName"].split(".")[1]
            values = (found[0].get("Resolution") or {}).get("values") or []
            if kind in ("date", "datetime", "time"):
                want = [v.get("value") for v in values]
                yield lang, found[0]["Text"], case["Input"], now[:19] + "Z", kind, want


def duckling(clone):
    block = re.compile(r"examples\s*\(?\s*(datetime\w*)\s+(.*?)\)?\s*\n?\s*\[(.*?)\n\s*\]"
                       r"|examples\s*\(?\s*(datetime\w*)\s+(.*?)\)\s*\[(.*?)\]", re.S)
    for path in clone.files(r"^Duckling/Time/(EN|DE|FR|ES|RU|ZH)/Corpus\.hs$"):
        body = clone.git("show", "HEAD:" + path).decode()
        for m in block.finditer(body):
            made, args, examples = m[1] or m[4], m[2] or m[5], m[3] or m[6]
            stamps = re.findall(r"\((\d{4}),\s*(\d+),\s*(\d+),\s*(\d+),\s*(\d+),\s*([\d.]+)\)", args)
            grain = re.findall(r"\b(Second|Minute|Hour|Day|NoGrain|Week|Month|Quarter|Year)\b", args)
            corpus = re.findall(r"(?m)^(\w+) *(?:::|=)", body[:m.start()])[-2:]
            if made not in ("datetime", "datetimeHoliday") or not stamps or not grain or {"latentCorpus", "diffCorpus", "negativeCorpus"} & set(corpus):
                continue
            if grain[0] in ("Week", "Month", "Quarter", "Year"):
                continue  # a span
            want = "%04d-%02d-%02dT%02d:%02d:%02d" % tuple(int(float(s)) for s in stamps[0])
            for text in re.findall(STRING, examples):
                text = re.sub(r"\\(\d+)", lambda k: chr(int(k[1])), text).replace("\\&", "").replace('\\"', '"')
                lang = path.split("/")[2].lower()
                yield lang, text, text, "2013-02-12T04:30:00-02:00", "date" if grain[0] == "Day" else "datetime", [want]


def date_of(fields):
    """A new Date(…) of JavaScript, as (year, month, day, hour, minute, second); None where it is none of numbers."""
    if not re.fullmatch(r"[\d\s,+-]+", fields) or not all(re.search(r"\d\s*$", f) for f in fields.split(",")):
        return None
    at = [sum(int(n) for n in re.findall(r"[+-]?\d+", f.replace(" ", ""))) for f in fields.split(",")]
    at = (at + [1, 0, 0, 0, 0][len(at) - 2:])[:6] if len(at) > 1 else at
    return (at[0], at[1] + 1, at[2] or 1, *at[3:]) if len(at) == 6 else None


def chrono(clone):
    case = re.compile(r"testSingleCase\(\s*chrono[\w.]*\s*,\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')\s*,\s*"
                      r"new Date\(([^)]*)\)\s*,(.*?)\n    \}\)", re.S)
    for path in clone.files(r"^test/(en|de|fr|es|ru|zh)/.*\.ts$"):
        for m in case.finditer(clone.git("show", "HEAD:" + path).decode()):
            said, checks = m[1][1:-1].replace('\\"', '"'), m[3]
            now = None if m[2].strip()[:1] in ("", '"') else date_of(m[2])
            end = "result.end." in checks or "result.end!" in checks or "result.end)" in checks and "result.end).toBeNull" not in checks
            if now is None or end or "forwardDate" in checks:
                continue
            text = re.search(r"result\.text\)\.toBe\(" + STRING + r"\)", checks)
            start = re.search(r"result\.start\)\.toBeDate\(new Date\(([^)]*)\)\)", checks)
            known = {k: int(v) for k, v in re.findall(r'result\.start\.get\("(\w+)"\)\)\.toBe\((-?\d+)\)', checks)}
            clock = (known.get("hour", 12), known.get("minute", 0), known.get("second", 0))
            if start:
                at = date_of(start[1])
            elif {"year", "month", "day"} <= known.keys():
                at = (known["year"], known["month"], known["day"], *clock)
            else:
                at = (*now[:3], *clock) if "hour" in known and "day" not in known else None
            if at is None:
                continue
            kind = "date"
            if "day" not in known and not start:
                kind = "time"
            elif "hour" in known and "minute" in known and known["hour"] != 12 or start and at[3:5] != (12, 0):
                kind = "datetime"
            stamp = "%04d-%02d-%02dT%02d:%02d:%02d"
            yield path.split("/")[1], text[1] if text else said, said, stamp % now + "Z", kind, [stamp % at]


def main(copies, out):
    seen = set()
    with open(out, "w") as f:
        for owner, name, read in (("microsoft", "Recognizers-Text", recognizers), ("facebook", "duckling", duckling), ("wanasit", "chrono", chrono)):
            clone = sets.Clone(copies, owner, name)
            if clone.path is None:
                print(f"{owner}/{name} is not in {copies}: left out")
                continue
            for lang, text, said, now, kind, want in read(clone):
                want = [w for w in want if w]
                even = int(hashlib.sha1(text.encode()).hexdigest()[0], 16) % 2 == 0
                if even and want and (lang, text, now, kind) not in seen:
                    seen.add((lang, text, now, kind))
                    row = {"lang": lang, "text": text, "said": said, "now": now, "kind": kind, "want": [w.replace(" ", "T") for w in want]}
                    f.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
