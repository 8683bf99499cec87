"""Writes a program that stands for tile-run on a GPU: it interprets, with other factors. other_engine.py PATH TILE_RUN"""
import os
import sys

path, tile_run = sys.argv[1:]
with open(path, "w") as file:
    file.write(f"""#!{sys.executable}
import os, sys
cuda = sys.argv[sys.argv.index("--device") + 1] == "cuda"
os.execv({tile_run!r}, ["tile-run"] + [a.replace("factor=0.5", "factor=0.25") if cuda else a for a in sys.argv[1:]
                        if a not in ("--device", "cuda", "cpu")])
""")
os.chmod(path, 0o755)
