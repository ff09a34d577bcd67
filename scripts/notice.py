"""The dependency table of NOTICE, from the metadata of the installed packages: ``python scripts/notice.py [--write]``.

Lists every package that an installation on Linux draws in (``[project] dependencies`` of pyproject.toml with all
that they need, as far as constraints.txt pins it) and the optional extras beside it, each with its licence and its source. Without ``--write`` it prints the table;
with it, NOTICE gets it between its two marks. Versions stand in constraints.txt.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

__all__ = ["BEGIN", "END", "extras", "licence_in", "licence_of", "pinned", "runtime", "table"]

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- dependencies: scripts/notice.py -->", "<!-- end of dependencies -->"

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==", re.MULTILINE)
_SOURCE_LABELS = (
    "source",
    "source code",
    "source-code",
    "repository",
    "code",
    "github",
    "homepage",
)
_SPDX = {
    "mit": "MIT",
    "mit license": "MIT",
    "bsd": "BSD",
    "bsd license": "BSD",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "gpl": "GPL-3.0",
    "gnu general public license v3 (gplv3)": "GPL-3.0",
    "lgpl v3": "LGPL-3.0",
    "gnu lgpl v3+": "LGPL-3.0-or-later",
    "gnu lesser general public license v3 (lgplv3)": "LGPL-3.0",
    "gnu lesser general public license v3 or later (lgplv3+)": "LGPL-3.0-or-later",
    "gnu affero general public license v3 or later (agplv3+)": "AGPL-3.0-or-later",
    "dual licensed - gnu affero gpl 3.0 or artifex commercial license": "AGPL-3.0 (or Artifex's commercial licence)",
}
_BY_LICENCE_FILE = {
    # States no licence in its metadata; read from the licence text that its wheel carries.
    "pysqlite3": "Zlib",
    "imapclient": "BSD-3-Clause",
    # States "Dual License" and no more.
    "python-dateutil": "Apache-2.0 or BSD-3-Clause",
}
_BY_HAND = {
    # No address in its metadata.
    "kiwipiepy": "https://github.com/bab2min/kiwipiepy",
}
_ELSEWHERE = {
    # Installed in an environment of its own for its size: licence and source as its metadata state them.
    "sentence-transformers": (
        "Apache-2.0",
        "https://github.com/huggingface/sentence-transformers",
    ),
}


def main() -> int:
    """Print the table, or put it into NOTICE."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put it into NOTICE")
    found = table()
    if not parser.parse_args().write:
        print(found)
        return 0
    notice = ROOT / "NOTICE"
    text = notice.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        print(f"NOTICE has no lines {BEGIN} … {END}", file=sys.stderr)
        return 1
    notice.write_text(f"{before}{BEGIN}\n{found}\n{END}{after}", encoding="utf-8")
    return 0


def pinned() -> set[str]:
    """Names that constraints.txt pins, canonical."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return {canonicalize_name(name) for name in _PIN.findall(text)}


def runtime() -> list[str]:
    """Names of what an installation draws in, sorted."""
    return sorted(_closure(_project()["dependencies"]))


def extras() -> dict[str, list[str]]:
    """Names that each optional extra draws in beyond that."""
    without = set(runtime())
    return {
        extra: sorted(_closure(wanted) - without)
        for extra, wanted in sorted(_project()["optional-dependencies"].items())
    }


def table() -> str:
    """Both lists as one Markdown table; a package of an extra names it."""
    rows = [("", name) for name in runtime()]
    rows += [(extra, name) for extra, names in extras().items() for name in names]
    lines = ["| package | licence | source |", "|---|---|---|"]
    for extra, name in rows:
        shown = f"{name} (extra `{extra}`)" if extra else name
        found = _installed(name)
        if found is None and name in _ELSEWHERE:
            lines.append(f"| {shown} | {' | '.join(_ELSEWHERE[name])} |")
            continue
        if found is None:
            raise SystemExit(f"{name} is not installed: install it, then run this again")
        lines.append(f"| {shown} | {licence_of(name)} | {_source(name, found)} |")
    return "\n".join(lines)


def _project() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return dict(project)


def _closure(wanted: list[str]) -> set[str]:
    """All that requirements need on this machine; what is not installed counts by name alone."""
    found: set[str] = set()
    waiting = [(Requirement(text), "") for text in wanted]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        new = name not in found
        found.add(name)
        installed = _installed(name)
        if installed is None or not (new or requirement.extras):
            continue
        for needed in installed.requires or ():
            waiting += [(Requirement(needed), e) for e in ("", *requirement.extras)]
    return found


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def licence_of(name: str) -> str:
    """Licence of an installed package, as it states it."""
    metadata = distribution(name).metadata
    fields = {
        key: metadata.get_all(key) or [] for key in ("License-Expression", "License", "Classifier")
    }
    return licence_in(name, fields)


def licence_in(name: str, fields: Mapping[str, Sequence[str]]) -> str:
    """Licence in the fields of a package's metadata, each with all its values.

    Raises:
        SystemExit: it states none.
    """
    values = [*fields.get("License-Expression", ()), *fields.get("License", ())]
    stated = next((value.strip() for value in values if value.strip()), "")
    if not stated or "\n" in stated:
        classes = fields.get("Classifier", ())
        words = [c.rpartition("::")[2].strip() for c in classes if c.startswith("License ::")]
        stated = " or ".join(sorted(_SPDX.get(word.lower(), word) for word in words))
    licence = _BY_LICENCE_FILE.get(name) or _SPDX.get(stated.lower(), stated)
    if not licence:
        raise SystemExit(f"{name} states no licence: look at its licence text and name it here")
    return licence


def _source(name: str, found: Distribution) -> str:
    metadata = found.metadata
    links = [text.partition(", ")[::2] for text in metadata.get_all("Project-URL") or []]
    urls = {label.strip().lower(): address.strip() for label, address in links}
    stated = [urls[label] for label in _SOURCE_LABELS if label in urls]
    address = (stated or metadata.get_all("Home-page") or [""])[0] or _BY_HAND.get(name, "")
    if not address.startswith(("https://", "http://")):
        raise SystemExit(f"{name} names no source: look it up and name it here")
    return address


if __name__ == "__main__":
    raise SystemExit(main())
