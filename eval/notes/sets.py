#!/usr/bin/env python3
"""Lays out the notes that search is measured on: OUT/en, OUT/de, OUT/ja, OUT/zh.

usage: sets.py COPIES OUT

COPIES is as in eval/recall/sets.py, with obsidianmd/obsidian-help in it."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recall"))
import sets  # noqa: E402

LANGUAGES = ("en", "de", "ja", "zh")


def main(copies, out):
    clone = sets.Clone(copies, "obsidianmd", "obsidian-help")
    if clone.path is None:
        sys.exit("obsidianmd/obsidian-help is not in " + copies)
    git = ["git", "-C", clone.path, "-c", "core.quotepath=off"]
    listed = subprocess.run(git + ["ls-tree", "-r", "-z", "HEAD", *LANGUAGES], capture_output=True, check=True).stdout
    with subprocess.Popen(git + ["cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as blobs:
        for row in listed.decode().split("\0"):
            if not row.endswith(".md"):
                continue
            meta, name = row.split("\t", 1)
            blobs.stdin.write((meta.split()[2] + "\n").encode())
            blobs.stdin.flush()
            head = blobs.stdout.readline().split()
            if head[1] == b"missing":  # a partial clone
                continue
            text = blobs.stdout.read(int(head[2]) + 1)[:-1]
            path = os.path.join(out, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(text)
        blobs.stdin.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
