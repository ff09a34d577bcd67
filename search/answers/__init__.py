"""Answers: what passages say, sentence by sentence, each with its citation."""
