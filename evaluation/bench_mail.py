"""How well mails are cut: ``python -m evaluation.bench_mail [--set made|held-out] [--show] [--json]``.

Every line of the self-written mails is own text, closing (signature, disclaimer) or quotation by construction. A line
counts as cut where the parser put it into the ``furniture`` or ``quoted`` layer. Precision: share of the cut lines
that had to be cut; recall: share of the lines to be cut that were. ``lost``: lines that are in no layer.

Two sets: ``made`` is put together from parts by the cutter's author, ``held-out`` was written as whole mails by
another hand. Of that one the mails with an even number are never looked at for improving the cutter, so ``--show``
prints only the wrong lines of the odd ones.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from contracts.documents import Layer
from contracts.parsing import ParserInput
from contracts.settings import OcrSettings, ParseSettings
from evaluation.mails.build import Sample, samples
from evaluation.mails.held_out import held_out_samples
from parsers.context import SpoolContext, full_budget
from parsers.registry import parser_for

__all__ = ["Cuts", "main", "measure"]

_SETS: dict[str, dict[str, Callable[[], list[Sample]]]] = {
    "made": {"made": samples},
    "held-out": {
        "held-out": held_out_samples,
        "held-out, odd": lambda: held_out_samples(1),
        "held-out, even": lambda: held_out_samples(0),
    },
}
_SHOWN = {"made", "held-out, odd"}
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


def measure(mails: Iterable[Sample] | None = None) -> Cuts:
    """Parse every sample and compare.

    Args:
        mails: The samples; None for the made set.
    """
    cuts = Cuts()
    for sample in samples() if mails is None else mails:
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
        said = [block.label + block.text]
        if block.table:
            said += [cell.text for cell in block.table.cells]
        texts[block.layer] += ["".join(part.split()) for part in said]
    return {layer: "\n".join(parts) for layer, parts in texts.items()}


def _take(layers: dict[Layer, str], line: str, wanted: Layer) -> str:
    """The layer that holds a line, the wanted one first; the line is taken out of it."""
    for layer in (wanted, *(other for other in Layer if other is not wanted)):
        if line in layers[layer]:
            layers[layer] = layers[layer].replace(line, "\n", 1)
            return layer.value
    return ""


def _figures(cuts: Cuts) -> dict[str, float]:
    return {
        "mails": cuts.samples,
        "mails_without_a_wrong_line": cuts.whole,
        "lines": sum(cuts.lines.values()),
        "cut_precision": round(cuts.precision, 4),
        "cut_recall": round(cuts.recall, 4),
        "lost": cuts.lost,
    }


def main() -> int:
    """Print the figures of both sets, or of one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=tuple(_SETS), help="only this set")
    parser.add_argument("--show", action="store_true", help="print every line that lies wrong")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wanted = [options.set] if options.set else list(_SETS)
    results = {name: measure(load()) for one in wanted for name, load in _SETS[one].items()}
    if options.json:
        print(json.dumps({name: _figures(cuts) for name, cuts in results.items()}))  # noqa: T201
        return 0
    for name, cuts in results.items():
        print(name)  # noqa: T201
        for figure, value in _figures(cuts).items():
            print(f"  {figure:28} {value}")  # noqa: T201
        if options.show and name in _SHOWN:
            for sample, kind, layer, line in cuts.wrong:
                print(f"  {sample}: {kind} → {layer}: {line}")  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
