"""All settings, read once from the environment and ``seoga.toml``, in frozen groups.

Precedence: environment (``SEOGA_PARSE__WORKERS=4``), then ``seoga.toml``, then defaults. Secrets come from the
environment or from files (``SEOGA_API_TOKEN`` or ``SEOGA_API_TOKEN_FILE``), never from ``seoga.toml``.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError, model_validator

from contracts.errors import ConfigError
from contracts.settings_api import ApiSettings, ClientSettings, OidcSettings
from contracts.settings_dashboard import DashboardSettings
from contracts.settings_group import Group
from contracts.settings_sources import (
    AclSettings,
    DirectorySettings,
    LdapSettings,
    SourceSettings,
)
from contracts.settings_telemetry import TelemetrySettings

__all__ = [
    "AclSettings",
    "AnswerSettings",
    "ApiSettings",
    "BlobSettings",
    "CatalogSettings",
    "ChunkSettings",
    "ClientSettings",
    "DashboardSettings",
    "DirectorySettings",
    "EmbedderSettings",
    "IndexSettings",
    "LdapSettings",
    "OcrSettings",
    "OidcSettings",
    "ParseSettings",
    "QueueSettings",
    "SearchSettings",
    "Settings",
    "SourceSettings",
    "UnlockSettings",
    "VisionSettings",
    "load_settings",
]


class ParseSettings(Group):
    """Limits and pool of the parse processes."""

    workers: int = Field(default=0, ge=0, description="Parse processes; 0: one a core.")
    timeout_seconds: float = Field(default=120.0, gt=0, description="Wall time of one file.")
    memory_mb: int = Field(default=2048, ge=128, description="Address space of one process.")
    recycle_after: int = Field(default=200, ge=1, description="Files before a process is replaced.")
    max_file_mb: int = Field(default=512, ge=1)
    max_pages: int = Field(default=5000, ge=1)
    max_cells: int = Field(default=2_000_000, ge=1, description="Cells read of one workbook.")
    archive_depth: int = Field(default=4, ge=0, description="Containers within containers.")
    archive_members: int = Field(default=10_000, ge=1, description="Members of all levels.")
    mailbox_messages: int = Field(default=200_000, ge=1, description="Mails of one mailbox file.")
    archive_ratio: int = Field(default=200, ge=2, description="Unpacked size by packed size.")
    archive_total_mb: int = Field(default=2048, ge=1, description="Unpacked size of all levels.")
    office: str = Field(
        default="auto", description="LibreOffice for older formats: `auto`, `off`, or its command."
    )
    alternatives: tuple[str, ...] = Field(
        default=(), description="Formats that another reader opens: `pptx:python-pptx`."
    )


class OcrSettings(Group):
    """Recognition of scans and images."""

    enabled: bool = True
    engine: Literal["pytesseract", "tesserocr"] = "pytesseract"
    languages: str = "kor+eng"
    dpi: int = Field(default=300, ge=72, le=1200)
    max_pixels: int = Field(default=60_000_000, ge=1_000_000)
    pictures: bool = Field(default=False, description="Pictures on slides too.")


class VisionSettings(Group):
    """Generated captions of figures; off without an address."""

    url: str = Field(
        default="",
        pattern=r"^(|https?://.+)$",
        description="OpenAI-compatible endpoint up to `/v1`; empty: no captions are generated.",
    )
    model: str = ""
    key: SecretStr | None = None
    prompt: str = (
        "이 그림이 무엇을 보여 주는지 두세 문장으로 설명하세요. 보이는 수치와 이름만 쓰세요."
    )
    max_tokens: int = Field(default=300, ge=16, description="Length of one caption.")
    timeout_seconds: float = Field(default=60.0, gt=0, description="One request.")
    most_figures: int = Field(default=20, ge=1, description="Figures of one document.")


class ChunkSettings(Group):
    """Sizes in tokens of the embedder's own tokenizer."""

    target_tokens: int = Field(default=256, ge=32)
    max_tokens: int = Field(default=480, ge=64)
    overlap_tokens: int = Field(default=32, ge=0)
    table_rows_budget: int = Field(
        default=2000, ge=10, description="Rows of one table that become passages; beyond: profile."
    )
    text_budget: int = Field(
        default=8_000_000,
        ge=10_000,
        description="Characters of one document that become passages; what is beyond is left out, and said.",
    )
    by_type: dict[str, int] = Field(default_factory=dict, description="Target by document type.")


class EmbedderSettings(Group):
    """Which embedder, and how much of the machine it takes."""

    engine: str = "auto"
    threads: int = Field(default=1, ge=1)
    batch: int = Field(default=32, ge=1)
    model_folder: Path | None = Field(default=None, description="Model of the engine `onnx`.")
    model: str = Field(
        default="",
        description="Model of `sentence-transformers`: a local folder, or a name on the hub.",
    )
    device: str = Field(
        default="",
        description="Device of `sentence-transformers`: `cpu`, `cuda`; empty: its choice.",
    )
    query_prefix: str = Field(
        default="", description="What `sentence-transformers` puts before a query."
    )
    passage_prefix: str = Field(default="", description="The same before a passage.")


class IndexSettings(Group):
    """Which index backend."""

    backend: str = "embedded"
    url: str = ""
    user: str = Field(default="", description="Account at the server of the index.")
    password: SecretStr | None = None
    ca_file: Path | None = Field(
        default=None, description="Certificate that signed the server's; None: those of the system."
    )
    name: str = Field(
        default="seoga",
        pattern=r"^[a-z][a-z0-9_]{0,63}$",
        description="OpenSearch: alias of the index, and beginning of all its names.",
    )
    shards: int = Field(
        default=1,
        ge=1,
        le=1024,
        description="OpenSearch: shards of a new index; see docs/scale.md.",
    )
    replicas: int = Field(default=0, ge=0, le=8, description="OpenSearch: copies of each shard.")
    timeout_seconds: float = Field(default=60.0, gt=0, description="OpenSearch: one request.")


class BlobSettings(Group):
    """Where parsed documents are kept."""

    url: str = Field(
        default="",
        description="Empty: a folder below the home folder; `file:///FOLDER`; `s3://BUCKET/PREFIX`.",
    )
    endpoint: str = Field(
        default="", description="Address of an S3 server of one's own; empty: Amazon's."
    )
    region: str = ""
    access_key: SecretStr | None = None
    secret_key: SecretStr | None = None
    ca_file: Path | None = Field(
        default=None, description="Certificate that signed the server's; None: those of the system."
    )
    timeout_seconds: float = Field(default=30.0, gt=0, description="Wait for one answer.")
    attempts: int = Field(default=4, ge=1, le=20, description="Tries of one request.")


class CatalogSettings(Group):
    """Where the catalog is; empty: SQLite below the home folder."""

    url: str = ""
    password: SecretStr | None = None


class QueueSettings(Group):
    """Who does the work: this process, or workers that a broker rings."""

    backend: Literal["in_process", "celery"] = "in_process"
    url: str = Field(default="", description="`redis://HOST:6379/0`; for `celery`.")
    password: SecretStr | None = None
    threads: int = Field(default=2, ge=1, description="Tasks at once of `seoga serve`.")
    lease_seconds: float = Field(
        default=60.0, ge=1, description="A worker that shows no sign of life for so long is dead."
    )
    max_attempts: int = Field(default=3, ge=1, description="Tries before a task is parked.")
    retry_seconds: float = Field(
        default=5.0, ge=0, description="Wait before the second try; doubled for each further one."
    )
    window: int = Field(default=200, ge=1, description="Bells of one queue that wait at once.")
    ring_seconds: float = Field(
        default=2.0, gt=0, description="How often lost tasks and bells are looked for."
    )
    bell_seconds: float = Field(
        default=30.0, ge=0, description="A bell without an answer is taken for lost after this."
    )
    worker_memory_mb: int = Field(
        default=2048, ge=64, description="A worker process that is larger is replaced."
    )
    keep_days: int = Field(default=14, ge=1, description="Days that finished tasks are kept.")


class SearchSettings(Group):
    """Ranking."""

    candidates: int = Field(default=200, ge=10, le=2000)
    vector_weight: float = Field(default=0.61, ge=0, le=1)
    tokenizer: Literal["mecab", "kiwi", "bigram"] = "mecab"
    glossary: bool = Field(
        default=True, description="Korean and English words of plants that mean the same."
    )
    reranker: Literal["", "onnx", "sentence-transformers"] = Field(
        default="", description="Cross-encoder that judges the best passages; empty: none."
    )
    reranker_model: str = Field(
        default="",
        description="Its folder (`model.onnx`, `tokenizer.json`), or a name for `sentence-transformers`.",
    )
    reranker_weight: float = Field(default=1.0, ge=0, description="Beside the score of 0 to 2.2.")
    title_weight: float = 1.5
    heading_weight: float = 1.2
    codes_weight: float = 2.0
    body_weight: float = 1.0


class AnswerSettings(Group):
    """Answers that a model writes; without an address they are extracts."""

    url: str = Field(
        default="",
        pattern=r"^(|https?://.+)$",
        description="OpenAI-compatible endpoint up to `/v1`; empty: answers are extracts.",
    )
    model: str = ""
    key: SecretStr | None = None
    threshold: float = Field(
        default=0.6, ge=0, le=1, description="Confidence from which a question is answered."
    )
    context_tokens: int = Field(
        default=3000, ge=256, description="Passages of one question, in the embedder's tokens."
    )
    max_tokens: int = Field(default=500, ge=16, description="Length of one answer.")
    timeout_seconds: float = Field(default=60.0, gt=0, description="One request.")


class UnlockSettings(Group):
    """Locked files: who opens them, and who may then read them."""

    command: tuple[str, ...] = Field(
        default=(),
        description="An organisation's own decryption; `{input}` and `{output}` stand for the files.",
    )
    classes: tuple[str, ...] = Field(
        default=("drm:fasoo", "drm:markany", "drm:softcamp", "drm:mip"),
        description="Failure classes that the command is called for.",
    )
    timeout_seconds: float = Field(default=120.0, gt=0, description="Time to open one file.")
    passwords: SecretStr | None = Field(default=None, description="Key ring, one password a line.")
    readers: str = Field(
        default="",
        pattern=r"^(|source|(user|group|everyone|sid):.+)$",
        description="Who may read what was opened: `group:NAME@REALM`; empty: nobody; `source`: whoever may read the file.",
    )


class Settings(Group):
    """Everything, as frozen groups; stages get only the group that they need."""

    home: Path
    parse: ParseSettings = Field(default_factory=ParseSettings)
    ocr: OcrSettings = Field(default_factory=OcrSettings)
    vision: VisionSettings = Field(default_factory=VisionSettings)
    chunk: ChunkSettings = Field(default_factory=ChunkSettings)
    embedder: EmbedderSettings = Field(default_factory=EmbedderSettings)
    index: IndexSettings = Field(default_factory=IndexSettings)
    blobs: BlobSettings = Field(default_factory=BlobSettings)
    catalog: CatalogSettings = Field(default_factory=CatalogSettings)
    queue: QueueSettings = Field(default_factory=QueueSettings)
    search: SearchSettings = Field(default_factory=SearchSettings)
    answer: AnswerSettings = Field(default_factory=AnswerSettings)
    directory: DirectorySettings = Field(default_factory=DirectorySettings)
    api: ApiSettings = Field(default_factory=ApiSettings)
    dashboard: DashboardSettings = Field(default_factory=DashboardSettings)
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings)
    unlock: UnlockSettings = Field(default_factory=UnlockSettings)
    code_master: Path | None = None
    departments: tuple[str, ...] = ()
    sources: tuple[SourceSettings, ...] = ()

    @model_validator(mode="after")
    def _sources_told_apart(self) -> Settings:
        names = [source.name for source in self.sources]
        if len(set(names)) != len(names):
            msg = "두 소스의 이름이 같습니다 (two sources have the same name)"
            raise ValueError(msg)
        return self


_SECRETS = (
    ("answer", "key"),
    ("api", "token"),
    ("api", "metrics_token"),
    ("blobs", "access_key"),
    ("blobs", "secret_key"),
    ("catalog", "password"),
    ("index", "password"),
    ("queue", "password"),
    ("unlock", "passwords"),
    ("vision", "key"),
)


def load_settings(environ: dict[str, str] | None = None) -> Settings:
    """Read the environment and ``seoga.toml`` (``SEOGA_CONFIG``, else in the home folder).

    Raises:
        ConfigError: with the name of the setting and what is wrong with it.
    """
    env = dict(os.environ) if environ is None else environ  # noqa: TID251  the one place that reads it
    home = Path(env.get("SEOGA_HOME") or Path.home() / ".seoga").expanduser().absolute()
    config = Path(env["SEOGA_CONFIG"]) if env.get("SEOGA_CONFIG") else home / "seoga.toml"
    values = _read_toml(config, required=bool(env.get("SEOGA_CONFIG")))
    for group, name in _SECRETS:
        if name in values.get(group, {}):
            msg = f"{config}: [{group}] {name} is a secret"
            raise ConfigError(msg, advice=f"set {f'SEOGA_{group}_{name}_FILE'.upper()} instead")
    for key, text in sorted(env.items()):
        if key.startswith("SEOGA_") and "__" in key:
            _put(values, key.removeprefix("SEOGA_").lower().split("__"), text)
    for group, name in _SECRETS:
        secret = _secret(env, f"SEOGA_{group}_{name}".upper())
        if secret:
            values.setdefault(group, {})[name] = secret
    values["home"] = home
    try:
        return Settings.model_validate(values)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        said = first["msg"].removeprefix("Value error, ")
        msg = ": ".join(filter(None, (".".join(map(str, first["loc"])), said)))
        raise ConfigError(msg, advice=f"correct it in {config} or the environment") from problem


def _read_toml(config: Path, *, required: bool) -> dict[str, Any]:
    try:
        if not config.exists() and not required:
            return {}
        return tomllib.loads(config.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as problem:
        msg = f"{config}: UTF-8 이 아닙니다 (not UTF-8)"
        raise ConfigError(msg, advice="UTF-8 로 저장하세요 (save it as UTF-8)") from problem
    except OSError as problem:
        msg = f"{config}: {problem.strerror}"
        raise ConfigError(msg) from problem
    except tomllib.TOMLDecodeError as problem:
        msg = f"{config}: {problem}"
        raise ConfigError(msg) from problem


def _put(values: dict[str, Any], path: list[str], text: str) -> None:
    for part in path[:-1]:
        values = values.setdefault(part, {})
    values[path[-1]] = text


def _secret(env: dict[str, str], key: str) -> str:
    if env.get(key):
        return env[key]
    name = env.get(f"{key}_FILE")
    if not name:
        return ""
    try:
        return Path(name).read_text(encoding="utf-8").strip()
    except OSError as problem:
        msg = f"{key}_FILE: {problem}"
        raise ConfigError(msg) from problem
