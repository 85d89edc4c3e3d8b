"""Finishes an SBOM in CycloneDX: adds the C code that is linked in, which no Go
module lists, and leaves out what would make two runs differ.

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
