"""A real OpenSearch for tests and benches: a process on loopback, made of artifacts from Maven Central.

::

    python scripts/opensearch_server.py fetch                   # only download; the first time takes about half a minute
    python scripts/opensearch_server.py run                     # prints the address, serves until Ctrl-C
    python scripts/opensearch_server.py exec -- COMMAND {url}   # serves while a command runs

There is no need for a container engine nor for the distribution's own archive: the server, the modules that the backend
uses, k-NN and neural-search are put together in a cache folder (``SEOGA_TEST_CACHE``; without it ``/var/cache/seoga-test``
for root, who lends another account to the server, else ``~/.cache/seoga-test``). Needs Java 17 and Maven.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

VERSION = "2.19.1"
_START_SECONDS = 600

_DISTRIBUTION = f"org.opensearch.distribution.integ-test-zip:opensearch:{VERSION}:zip"
_PLUGINS = ("opensearch-knn", "neural-search")
_MODULES = {
    "lang-painless": ("lang-painless", "org.opensearch.painless.PainlessPlugin", ""),
    "analysis-common": (
        "analysis-common",
        "org.opensearch.analysis.common.CommonAnalysisPlugin",
        "lang-painless",
    ),
    "mapper-extras": ("mapper-extras-client", "org.opensearch.index.mapper.MapperExtrasPlugin", ""),
    "reindex": ("reindex-client", "org.opensearch.index.reindex.ReindexPlugin", ""),
}
"""Folder: artifact, class, the module that it extends."""

_POLICIES = {
    "lang-painless": (
        'permission java.lang.RuntimePermission "createClassLoader";',
        'permission java.lang.RuntimePermission "getClassLoader";',
        'permission org.opensearch.script.ClassPermission "<<STANDARD>>";',
    ),
    "reindex": ('permission java.net.SocketPermission "*", "connect";',),
}

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>seoga.test</groupId><artifactId>{artifact}-closure</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.opensearch.plugin</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
  </dependency></dependencies>
</project>
"""

_JAVA = (
    "-XX:+UseG1GC", "-XX:G1ReservePercent=25", "-XX:InitiatingHeapOccupancyPercent=30", "-Xss1m", "-Xshare:auto",
    "-XX:-OmitStackTraceInFastThrow", "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8", "-Djna.nosys=true", "-Dio.netty.noUnsafe=true",
    "-Dio.netty.noKeySetOptimization=true", "-Dio.netty.recycler.maxCapacityPerThread=0",
    "-Dio.netty.allocator.numDirectArenas=0", "-Dlog4j.shutdownHookEnabled=false", "-Dlog4j2.disable.jmx=true",
    "-Djava.locale.providers=SPI,COMPAT", "-Dopensearch.networkaddress.cache.ttl=60",
    "-Djava.util.concurrent.ForkJoinPool.common.threadFactory=org.opensearch.secure_sm.SecuredForkJoinWorkerThreadFactory",
    "-Dopensearch.distribution.type=zip", "-Dopensearch.bundled_jdk=false",
)  # fmt: skip


# -- what is downloaded ----------------------------------------------------------------------------


def cache_folder() -> Path:
    """Where downloads are kept between runs."""
    named = os.environ.get("SEOGA_TEST_CACHE")
    if named:
        return Path(named)
    return Path("/var/cache" if os.geteuid() == 0 else Path.home() / ".cache") / "seoga-test"


def installation(cache: Path | None = None, extra: tuple[str, ...] = ()) -> Path:
    """The server's home folder, with further plugins, put together from Maven Central where it is not there yet."""
    folder = cache or cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    plain = installation(folder) if extra else None  # before the lock: it takes it, too
    home = folder / "-".join((f"opensearch-{VERSION}", *extra))
    with (folder / "opensearch.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may come at once
        if not home.exists():
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                made = _assemble(Path(scratch)) if plain is None else Path(scratch) / "home"
                if plain is not None:
                    shutil.copytree(plain, made, copy_function=os.link)
                for plugin in extra:
                    archive = _download(
                        f"org.opensearch.plugin:{plugin}:{VERSION}.0:zip", made.parent
                    )
                    _unpack(archive, made / "plugins" / plugin)
                for path in (made, *made.rglob("*")):
                    path.chmod(0o755 if path.is_dir() else 0o644)
                made.rename(home)
    return home


def _assemble(scratch: Path) -> Path:
    _unpack(_download(_DISTRIBUTION, scratch), scratch)
    home = scratch / f"opensearch-{VERSION}"
    for plugin in _PLUGINS:
        archive = _download(f"org.opensearch.plugin:{plugin}:{VERSION}.0:zip", scratch)
        _unpack(archive, home / "plugins" / plugin)
    known = {_artifact(jar) for jar in (home / "lib").glob("*.jar")}
    for name, (artifact, classname, extends) in _MODULES.items():
        module = home / "modules" / name
        module.mkdir(parents=True)
        for jar in _closure(artifact, scratch):
            if _artifact(jar) not in known:
                shutil.copy(jar, module)
        (module / "plugin-descriptor.properties").write_text(
            f"description={name}\nversion={VERSION}\nname={name}\nclassname={classname}\njava.version=11\n"
            f"opensearch.version={VERSION}\ncustom.foldername=\nextended.plugins={extends}\n"
            "has.native.controller=false\n"
        )
        if name in _POLICIES:
            lines = "\n  ".join(_POLICIES[name])
            (module / "plugin-security.policy").write_text(f"grant {{\n  {lines}\n}};\n")
    return home


def _maven(*arguments: str) -> None:
    done = subprocess.run(
        ["mvn", "-q", "-B", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"mvn {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")


def _download(artifact: str, scratch: Path) -> Path:
    target = Path(tempfile.mkdtemp(dir=scratch))
    _maven("dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={target}")
    return next(target.iterdir())


def _closure(artifact: str, scratch: Path) -> list[Path]:
    """An artifact with everything that it needs at run time."""
    target = Path(tempfile.mkdtemp(dir=scratch))
    pom = target / "pom.xml"
    pom.write_text(_POM.format(artifact=artifact, version=VERSION))
    goal = ("dependency:copy-dependencies", "-DincludeScope=runtime")
    _maven("-f", str(pom), *goal, f"-DoutputDirectory={target / 'jars'}")
    return sorted((target / "jars").glob("*.jar"))


def _artifact(jar: Path) -> str:
    """A jar's name without its version."""
    parts = jar.stem.split("-")
    return "-".join(part for part in parts if not part[:1].isdigit())


def _unpack(archive: Path, target: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(target)


# -- the server ------------------------------------------------------------------------------------


@dataclass
class OpenSearchServer:
    """One node in a folder of its own; may be killed and started again on the same data and port.

    Attributes:
        folder: Settings, data and logs.
        heap: Size of the Java heap, as for ``-Xmx``.
        port: HTTP port, kept over restarts.
        settings: More lines of ``opensearch.yml``.
        plugins: Further plugins, by name.
        environ: More variables of its environment.
        process: The running server, or None.
    """

    folder: Path
    heap: str = "1g"
    port: int = field(default_factory=lambda: free_port())  # noqa: PLW0108  defined below
    settings: dict[str, object] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Address of the server, as in ``index.url``."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> OpenSearchServer:
        """Start, and return when it answers with its shards in place.

        Raises:
            RuntimeError: it did not come up; the end of its log.
        """
        home = installation(extra=self.plugins)
        account = _account()
        for path in (
            self.folder,
            *(self.folder / name for name in ("conf", "data", "logs", "tmp")),
        ):
            path.mkdir(parents=True, exist_ok=True)
            if account:
                os.chown(path, account["user"], account["group"])
        self._configure(home)
        classes = ":".join(map(str, sorted((home / "lib").glob("*.jar"))))
        command = [
            "java", f"-Xms{self.heap}", f"-Xmx{self.heap}", *_JAVA, f"-Djava.io.tmpdir={self.folder / 'tmp'}",
            f"-XX:ErrorFile={self.folder / 'logs' / 'hs_err.log'}",
            f"-Dopensearch.path.home={home}", f"-Dopensearch.path.conf={self.folder / 'conf'}",
            "-cp", classes, "org.opensearch.bootstrap.OpenSearch",
        ]  # fmt: skip
        with (self.folder / "out.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC", **self.environ},
                **account,
            )  # fmt: skip
        self._wait()
        return self

    def kill(self) -> None:
        """End it as a power failure would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        """End it in order."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def _configure(self, home: Path) -> None:
        lines: dict[str, object] = {
            "cluster.name": "seoga-test",
            "node.name": "node",
            "discovery.type": "single-node",
            "network.host": "127.0.0.1",
            "http.port": self.port,
            "transport.port": free_port(),
            "path.data": str(self.folder / "data"),
            "path.logs": str(self.folder / "logs"),
            # shared build machines are often nearly full; their disks are not ours to watch
            "cluster.routing.allocation.disk.threshold_enabled": False,
        }
        text = "".join(
            f"{key}: {json.dumps(value)}\n" for key, value in (lines | self.settings).items()
        )
        conf = self.folder / "conf"
        (conf / "opensearch.yml").write_text(text)
        shutil.copy(home / "config" / "log4j2.properties", conf)
        for path in conf.iterdir():
            path.chmod(0o644)

    def _wait(self) -> None:
        end = time.monotonic() + _START_SECONDS
        ask = f"{self.url}/_cluster/health?wait_for_status=yellow&wait_for_no_initializing_shards=true&timeout=5s"
        while time.monotonic() < end and self.process is not None and self.process.poll() is None:
            with (
                contextlib.suppress(OSError, ValueError),
                urllib.request.urlopen(ask, timeout=10) as answer,  # noqa: S310  loopback
            ):
                if not json.load(answer)["timed_out"]:
                    return
            time.sleep(0.2)
        log = (self.folder / "out.log").read_text("utf-8", "replace")[-4000:]
        self.kill()
        msg = f"OpenSearch did not start:\n{log}"
        raise RuntimeError(msg)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _account() -> dict[str, object]:
    """It refuses to run as root, so root lends it another account."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam("nobody")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextlib.contextmanager
def serving(folder: Path | None = None, *, heap: str = "1g"):
    """A running server; its data are thrown away afterwards unless a folder is named."""
    scratch = None if folder else tempfile.mkdtemp(prefix="seoga-os-", dir="/tmp")
    if scratch:
        Path(scratch).chmod(0o755)
    server = OpenSearchServer(folder or Path(scratch), heap)
    try:
        yield server.start()
    finally:
        if scratch:
            server.kill()
            shutil.rmtree(scratch)
        else:
            server.stop()


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("action", choices=["fetch", "run", "exec"])
    parser.add_argument("--data", type=Path, help="keep the data in this folder")
    parser.add_argument("--heap", default="1g")
    parser.add_argument("command", nargs="*", help="for exec; {url} becomes the address")
    options = parser.parse_args()
    if options.action == "fetch":
        print(installation())
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server ends, too
    with serving(options.data, heap=options.heap) as server:
        if options.action == "run":
            print(server.url, flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                server.process.wait()
            return 0
        command = [part.replace("{url}", server.url) for part in options.command]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
