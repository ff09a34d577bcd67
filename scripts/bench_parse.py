"""Seconds by format and facts reached, beside kreuzberg, kordoc, pymupdf4llm, markitdown and Tika, on the same files in one run.

usage: bench_parse.py [--corpus FOLDER] [--facts-tool FILE] [--cache FOLDER] [--formats pdf,hwp,…] [--tools …] [--rounds N]

Each reader is installed in an environment of its own below the cache folder, started once, and given the files one after the other;
its start is counted apart. The best of the rounds counts for each file. Recognition is off for all, except in the row
``seoga``, which reads as installed. A reader that cannot be installed is said, and left out.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
FORMATS = ("pdf", "hwp", "hwpx", "docx", "pptx", "xlsx", "xls", "doc", "ppt", "eml", "msg")
PYTHON_PEERS = {
    "kreuzberg": ["kreuzberg==4.10.0"],
    "markitdown": ["markitdown[pdf,docx,pptx,xlsx,xls,outlook]==0.1.9"],
    "pymupdf4llm": ["pymupdf4llm==1.28.2"],
}
KORDOC = "kordoc@4.14.1"
TIKA = "org.apache.tika:tika-server-standard:3.2.2"
TOOLS = ("seoga", "seoga-without-ocr", "kreuzberg", "kordoc", "pymupdf4llm", "markitdown", "tika")
KNOWS = {
    "kordoc": {"pdf", "hwp", "hwpx", "docx", "xlsx", "xls"},
    "pymupdf4llm": {"pdf"},
    "kreuzberg": set(FORMATS) - {"hwp", "hwpx"},
    "markitdown": set(FORMATS) - {"hwp", "hwpx", "doc", "ppt"},
}
PATIENCE = 300.0
_MOSTLY = 0.95


@dataclass
class Reader:
    """A running reader."""

    name: str
    process: subprocess.Popen[str]
    out: Path
    start: float
    server: subprocess.Popen[bytes] | None = None
    seconds: dict[str, dict[Path, float]] = field(
        default_factory=lambda: collections.defaultdict(dict)
    )
    alone: dict[str, dict[Path, float]] = field(
        default_factory=lambda: collections.defaultdict(dict)
    )
    unread: dict[str, set[Path]] = field(default_factory=lambda: collections.defaultdict(set))

    def read(self, kind: str, path: Path) -> None:
        """Read one file once more."""
        assert self.process.stdin is not None  # noqa: S101  a pipe
        assert self.process.stdout is not None  # noqa: S101  a pipe
        self.process.stdin.write(json.dumps(str(path)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended while it read {path.name}")
        answer = json.loads(line)
        if answer["problem"]:
            self.unread[kind].add(path)
            return
        for times, spent in (
            (self.seconds, answer["seconds"]),
            (self.alone, answer.get("alone") or answer["seconds"]),
        ):
            times[kind][path] = min(times[kind].get(path, PATIENCE), spent)

    def end(self) -> None:
        """Stop it, and its server."""
        for process in (self.process, self.server):
            if process is not None:
                process.terminate()
                process.wait()


def install(name: str, cache: Path) -> None:
    """Bring one peer into an environment of its own, once.

    Raises:
        OSError: a tool for it is missing.
        subprocess.SubprocessError: it cannot be installed.
    """
    if name in PYTHON_PEERS:
        folder = cache / f"py-{name}"
        stamp = folder / ".installed"
        if not stamp.exists():
            quietly([sys.executable, "-m", "venv", folder])
            quietly([folder / "bin/python", "-m", "pip", "install", "-q", *PYTHON_PEERS[name]])
            stamp.touch()
    elif name == "kordoc":
        folder = cache / "node-kordoc"
        if not (folder / "node_modules/kordoc").exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
            quietly(["npm", "install", "--no-audit", "--no-fund", KORDOC], folder)
    elif name == "tika" and not list((cache / "java-tika").glob("*.jar")):
        target = f"-DoutputDirectory={cache / 'java-tika'}"
        quietly(["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={TIKA}", target])


def quietly(command: list[str | Path], folder: Path | None = None) -> None:
    """Run an installation."""
    nowhere = subprocess.DEVNULL
    subprocess.run(command, cwd=folder, check=True, timeout=900, stdout=nowhere, stderr=nowhere)


def start(name: str, cache: Path, out: Path) -> Reader:
    """Start a reader and wait until it is ready."""
    out.mkdir()
    began = time.monotonic()
    server = None
    environ = dict(os.environ)
    if name == "kordoc":
        command = ["node", HERE / "peer_reader.mjs", cache / "node-kordoc", out]
    elif name in PYTHON_PEERS:
        command = [cache / f"py-{name}/bin/python", HERE / "peer_reader.py", name, out]
    elif name == "tika":
        server, address = _tika_server(cache)
        command = [sys.executable, HERE / "peer_reader.py", name, out, address]
    else:
        environ["PYTHONPATH"] = str(ROOT)
        command = [sys.executable, HERE / "peer_reader.py", name, out]
    process = subprocess.Popen(
        [str(part) for part in command], env=environ, text=True, cwd=out,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout  # noqa: S101  a pipe
    if process.stdout.readline().strip() != "ready":
        raise OSError(f"{name} does not start")
    return Reader(name, process, out, time.monotonic() - began, server)


def _tika_server(cache: Path) -> tuple[subprocess.Popen[bytes], str]:
    (jar,) = (cache / "java-tika").glob("*.jar")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["java", "-jar", str(jar), "--host", "127.0.0.1", "--port", str(port), "--noFork"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(address + "/version", timeout=5).read()  # noqa: S310  ours
        except OSError:
            time.sleep(0.2)
        else:
            return server, address
    server.kill()
    raise OSError("the Tika server does not answer")


def facts_of(reader: Reader, given: argparse.Namespace) -> dict[str, str]:
    """Facts reached by format, as the facts tool counts them in the texts that were read."""
    command = [
        sys.executable, str(given.facts_tool), str(given.corpus / "FACTS.jsonl"), str(given.corpus),
        "--only", given.formats, "--", sys.executable, str(Path(__file__)), "--show", str(reader.out),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (line.split() for line in done.stdout.splitlines() if line.startswith("format "))
    return {parts[1].rstrip(":"): parts[2] for parts in lines}


def show(out: Path, path: Path) -> int:
    """Print the text that a reader had of a file (the facts tool calls this)."""
    file = out / hashlib.sha256(str(path).encode()).hexdigest()
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    sys.stdout.write(text)
    return 0 if text else 3


def report(readers: list[Reader], files: dict[str, list[Path]], given: argparse.Namespace) -> None:
    """Two tables: seconds, and facts."""
    print(
        f"\nseconds, best of {given.rounds} rounds (files that it does not read are left out of its sum: n read of n; "
        "alone: without the attachments and embedded files that it reads apart)\n"
    )
    print("| format | files | " + " | ".join(r.name for r in readers) + " |")
    print("|---|---|" + "---|" * len(readers))
    for kind, paths in files.items():
        cells = []
        for reader in readers:
            spent = reader.seconds.get(kind)
            failed = len(reader.unread[kind])
            note = f" ({len(paths) - failed})" if failed else ""
            alone = sum(reader.alone[kind].values())
            if spent and alone < _MOSTLY * sum(spent.values()):
                note += f", alone {alone:.3f}"
            cells.append(f"{sum(spent.values()):.3f}{note}" if spent else "–")
        print(f"| {kind} | {len(paths)} | " + " | ".join(cells) + " |")
    print("| start | | " + " | ".join(f"{r.start:.2f}" for r in readers) + " |")
    if given.facts_tool.exists() and (given.corpus / "FACTS.jsonl").exists():
        print("\nfacts\n\n| format | " + " | ".join(r.name for r in readers) + " |")
        print("|---|" + "---|" * len(readers))
        facts = [facts_of(reader, given) for reader in readers]
        for kind in files:
            print(f"| {kind} | " + " | ".join(f.get(kind, "–") for f in facts) + " |")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared/corpus")
    parser.add_argument(
        "--facts-tool", type=Path, default=ROOT.parent / "shared/tools/score_facts.py"
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "seoga-peers",
    )
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    given.corpus, given.facts_tool = given.corpus.resolve(), given.facts_tool.resolve()
    kinds = given.formats.split(",")
    files = {
        kind: found
        for kind in kinds
        if (
            found := sorted(
                p for p in (given.corpus / kind).glob("*") if p.suffix.lower() == f".{kind}"
            )
        )
    }
    if not files:
        print(f"no files of {given.formats} below {given.corpus}")
        return 2
    readers: list[Reader] = []
    with tempfile.TemporaryDirectory(prefix="seoga-bench-parse-") as folder:
        try:
            for name in given.tools.split(","):
                try:
                    install(name, given.cache)
                    reader = start(name, given.cache, Path(folder) / name)
                except (OSError, subprocess.SubprocessError, ValueError) as problem:
                    print(f"{name} is left out: {problem}", flush=True)
                    continue
                readers.append(reader)
                for _ in range(given.rounds):
                    for kind, paths in files.items():
                        if kind in KNOWS.get(name, {kind}):
                            for path in paths:
                                reader.read(kind, path)
                total = sum(sum(spent.values()) for spent in reader.seconds.values())
                print(f"{name}: {total:.1f} s", flush=True)
                reader.end()
            report(readers, files, given)
        finally:
            for reader in readers:
                if reader.process.poll() is None:
                    reader.end()
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        sys.exit(show(Path(sys.argv[2]), Path(sys.argv[3])))
    if shutil.which("node") is None:
        print("node is not installed: kordoc will be left out")
    sys.exit(main())
