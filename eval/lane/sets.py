#!/usr/bin/env python3
"""Writes what the free lane is measured on to OUT: [[sentence, intent]], from CLINC150's train
and val, and with the intent "talk" from the work halves of REALTALK and LoCoMo.

usage: sets.py COPIES OUT

COPIES is as in eval/recall/sets.py, with clinc/oos-eval beside."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recall"))
import sets  # noqa: E402


def main(copies, out):
    rows = []
    clinc = sets.Clone(copies, "clinc", "oos-eval")
    if clinc.path is None:
        sys.exit("clinc/oos-eval is not in " + copies)
    full = clinc.json("data/data_full.json")
    for part in ("train", "val", "oos_train", "oos_val"):  # never test
        rows += full[part]
    for owner, name, read in (("danny911kr", "REALTALK", sets.realtalk), ("dial481", "locomo-audit", sets.locomo)):
        clone = sets.Clone(copies, owner, name)
        if clone.path is None:
            print(f"{owner}/{name} is not in {copies}: left out")
            continue
        rows += [[m["text"], "talk"] for c in read(clone) for m in c["msgs"]]
    with open(out, "w") as f:
        json.dump(rows, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
