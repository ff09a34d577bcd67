"""How well mails are cut: ``python -m evaluation.bench_mail [--show] [--json]``.

Every line of the self-written mails is own text, closing (signature, disclaimer) or quotation by construction. A line
counts as cut where the parser put it into the ``furniture`` or ``quoted`` layer. Precision: share of the cut lines
that had to be cut; recall: share of the lines to be cut that were. ``lost``: lines that are in no layer.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from contracts.documents import Layer
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from evaluation.mails.build import Sample, samples
from parsers.context import SpoolContext, full_budget
from parsers.registry import parser_for

__all__ = ["Cuts", "main", "measure"]

_WANTED = {"own": Layer.BODY, "closing": Layer.FURNITURE, "quoted": Layer.QUOTED}


@dataclass(slots=True)
class Cuts:
    """Lines by what they are and where they came to lie.

    Attributes:
        lines: ``(kind, layer)`` → lines; the layer of a lost line is "".
        wrong: Names of samples with the lines that lie elsewhere than they should.
        samples: Mails read.
        whole: Mails without any such line.
    """

    lines: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[tuple[str, str, str, str]] = field(default_factory=list)
    samples: int = 0
    whole: int = 0

    @property
    def precision(self) -> float:
        """Share of cut lines that had to be cut, 0 to 1."""
        cut = self._cut("own") + self._cut("closing") + self._cut("quoted")
        return (self._cut("closing") + self._cut("quoted")) / cut if cut else 1.0

    @property
    def recall(self) -> float:
        """Share of the lines to be cut that were, 0 to 1."""
        wanted = sum(count for (kind, _), count in self.lines.items() if kind != "own")
        return (self._cut("closing") + self._cut("quoted")) / wanted if wanted else 1.0

    @property
    def lost(self) -> int:
        """Lines that are in no layer."""
        return sum(count for (_, layer), count in self.lines.items() if not layer)

    def _cut(self, kind: str) -> int:
        return self.lines[kind, Layer.FURNITURE] + self.lines[kind, Layer.QUOTED]


def measure() -> Cuts:
    """Parse every sample and compare."""
    cuts = Cuts()
    for sample in samples():
        layers = _layers(sample)
        wrong = len(cuts.wrong)
        for kind, wanted in _WANTED.items():
            for line in getattr(sample, kind):
                layer = _take(layers, "".join(line.split()), wanted)
                cuts.lines[kind, layer] += 1
                if layer != wanted:
                    cuts.wrong.append((sample.name, kind, layer or "lost", line))
        cuts.samples += 1
        cuts.whole += len(cuts.wrong) == wrong
    return cuts


def _layers(sample: Sample) -> dict[Layer, str]:
    """Text of each layer without spaces."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mail"
        path.write_bytes(sample.data)
        limits = ParseSettings()
        context = SpoolContext(
            limits=limits,
            ocr=OcrSettings(enabled=False),
            budget=full_budget(limits),
            spool_folder=Path(folder),
            container_bytes=len(sample.data),
        )
        source = ParserInput(path=path, name="mail.eml", format="eml")
        document = parser_for("eml").load().parse(source, context)
    texts: dict[Layer, list[str]] = {layer: [] for layer in Layer}
    for block in document.blocks:
        texts[block.layer].append("".join(block.text.split()))
    return {layer: "\n".join(parts) for layer, parts in texts.items()}


def _take(layers: dict[Layer, str], line: str, wanted: Layer) -> str:
    """The layer that holds a line, the wanted one first; the line is taken out of it."""
    for layer in (wanted, *(other for other in Layer if other is not wanted)):
        if line in layers[layer]:
            layers[layer] = layers[layer].replace(line, "\n", 1)
            return layer.value
    return ""


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print every line that lies wrong")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cuts = measure()
    figures = {
        "mails": cuts.samples,
        "mails_without_a_wrong_line": cuts.whole,
        "lines": sum(cuts.lines.values()),
        "cut_precision": round(cuts.precision, 4),
        "cut_recall": round(cuts.recall, 4),
        "lost": cuts.lost,
    }
    if options.json:
        print(json.dumps(figures))  # noqa: T201
        return 0
    for name, value in figures.items():
        print(f"{name:28} {value}")  # noqa: T201
    if options.show:
        for name, kind, layer, line in cuts.wrong:
            print(f"{name}: {kind} → {layer}: {line}")  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
