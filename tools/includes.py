"""Reads the #include lines of the C files in src/. Shared by tools/check-includes and
tools/draw-layers."""

import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')

# Headers that the build generates, and the folder they belong to; included by their bare name.
GENERATED = {"games_list.h": "games"}


def sources(src):
    """The C files below `src`, relative to it, sorted."""
    for folder, _, names in sorted(os.walk(src)):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), src).replace(os.sep, "/")


def includes(src, file):
    """Yields (line number, line, '"' or '<', included path) for every #include in `file`."""
    with open(os.path.join(src, file), encoding="utf-8") as text:
        for number, line in enumerate(text, start=1):
            found = INCLUDE.match(line)
            if found:
                yield number, line.strip(), found[1], found[2]
