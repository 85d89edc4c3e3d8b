"""Packs a folder into a zip that is the same in each run.

usage: zip.py FOLDER FILE; SOURCE_DATE_EPOCH is the time of the files."""
import os
import pathlib
import sys
import time
import zipfile

folder, file = map(pathlib.Path, sys.argv[1:])
when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as z:
    for f in sorted(p for p in folder.rglob("*") if p.is_file()):
        info = zipfile.ZipInfo(str(f.relative_to(folder.parent)), when)
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (f.stat().st_mode & 0o777) << 16
        z.writestr(info, f.read_bytes())
