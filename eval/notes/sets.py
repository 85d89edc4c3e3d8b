#!/usr/bin/env python3
"""Lays out the notes and the code that search is measured on, a folder each in OUT.

usage: sets.py COPIES OUT

COPIES is as in eval/recall/sets.py, with the repositories of SETS in it; one that is not there
is left out."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recall"))
import sets  # noqa: E402

# What is laid out of each repository: folder in OUT, folders of the repository, endings.
SETS = {
    "obsidianmd/obsidian-help": [(lang, [lang], (".md",)) for lang in ("en", "de", "ja", "zh")],
    "logseq/docs": [("logseq", ["pages", "journals"], (".md",))],
    "oldwinter/knowledge-garden": [("garden", [], (".md",))],
    "pallets/click": [("click", [], (".py", ".md"))],
    "spf13/cobra": [("cobra", [], (".go", ".md"))],
    "honojs/hono": [("hono", [], (".ts", ".tsx", ".md"))],
}


def lay(clone, out, folders, endings):
    """Writes the files of some folders of a clone, all for none, to out."""
    git = ["git", "-C", clone.path, "-c", "core.quotepath=off"]
    listed = subprocess.run(git + ["ls-tree", "-r", "-z", "HEAD", *folders], capture_output=True, check=True).stdout
    with subprocess.Popen(git + ["cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as blobs:
        for row in listed.decode().split("\0"):
            if not row.endswith(endings):
                continue
            meta, name = row.split("\t", 1)
            blobs.stdin.write((meta.split()[2] + "\n").encode())
            blobs.stdin.flush()
            head = blobs.stdout.readline().split()
            if head[1] == b"missing":  # a partial clone
                continue
            text = blobs.stdout.read(int(head[2]) + 1)[:-1]
            path = os.path.join(out, name.removeprefix(folders[0] + "/") if len(folders) == 1 else name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(text)
        blobs.stdin.close()


def main(copies, out):
    for repository, parts in SETS.items():
        clone = sets.Clone(copies, *repository.split("/"))
        if clone.path is None:
            print(repository + " is not in " + copies)
            continue
        for name, folders, endings in parts:
            lay(clone, os.path.join(out, name), folders, endings)


if __name__ == "__main__":
    main(*sys.argv[1:])
