"""The work of a content run, task by task, by any number of processes that share catalog, blobs and index.

scan → parse (→ ocr → parse) → embed → index, and acl. What a step found travels in *work records* (blobs); what
comes next is asked for in the transaction that finishes the task. A step may be repeated, delivered twice, or die
at any moment: it comes to the same end.
"""

from __future__ import annotations

from ingest.steps.kit import Step, StepKit
from ingest.steps.parked import outcome_of_parked
from ingest.steps.table import BATCHED, STEPS

__all__ = ["BATCHED", "STEPS", "Step", "StepKit", "outcome_of_parked"]
