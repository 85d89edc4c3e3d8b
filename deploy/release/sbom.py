"""Finishes an SBOM in CycloneDX: adds the C code that is linked in, which no Go
module lists, and leaves out what is not in the program and what would make two runs differ.

usage: sbom.py FILE ZIG_VERSION SYSTEM; SOURCE_DATE_EPOCH is the time it says."""
import datetime
import json
import os
import re
import subprocess
import sys

file, zig, system = sys.argv[1:]
with open(file) as f:
    bom = json.load(f)
bom.pop("serialNumber", None)
when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
bom["metadata"]["timestamp"] = when.strftime("%Y-%m-%dT%H:%M:%SZ")

# A module that a folder of ours stands in for is not inside.
stubs = set(subprocess.check_output(["go", "list", "-m", "-f", "{{with .Replace}}{{$.Path}} {{.Path}}{{end}}", "all"], text=True).split())
gone = {c["bom-ref"] for c in bom["components"] if c["name"] in stubs}
bom["components"] = [c for c in bom["components"] if c["bom-ref"] not in gone]
bom["dependencies"] = [{**d, "dependsOn": [r for r in d.get("dependsOn", []) if r not in gone]}
                       for d in bom.get("dependencies", []) if d["ref"] not in gone]

folder = subprocess.check_output(["go", "list", "-m", "-f", "{{.Dir}}", "github.com/mattn/go-sqlite3"], text=True).strip()
with open(os.path.join(folder, "sqlite3-binding.h")) as f:
    sqlite = re.search(r'#define SQLITE_VERSION\s+"([^"]+)"', f.read()).group(1)
for name, version, licence, why in (
    ("sqlite", sqlite, "blessing", "compiled from the copy in github.com/mattn/go-sqlite3"),
    *{
        "linux": [("musl", "as in zig " + zig, "MIT", "the C library, linked statically")],
        "windows": [("mingw-w64", "as in zig " + zig, "ZPL-2.1", "what starts a program, linked statically")],
    }[system],
):
    bom["components"].append({
        "bom-ref": "c/" + name, "type": "library", "name": name, "version": version,
        "licenses": [{"license": {"id": licence}}], "description": why,
    })
for c in bom["components"]:
    # Where the scanner found it, and under which id of this run.
    c["properties"] = [p for p in c.get("properties", []) if not p["name"].startswith("syft:location")]
    if not c["properties"]:
        del c["properties"]
bom["components"].sort(key=lambda c: (c["name"], c.get("version", "")))
json.dump(bom, sys.stdout, indent=1, sort_keys=True)
print()
