#!/usr/bin/env bash
# Pins every dependency with its hashes; names no registry.
set -euo pipefail
cd "$(dirname "$0")/.."
options=(--quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header)
printf 'editables\nhatchling\nsetuptools<81\nwheel\n' | uv pip compile "${options[@]}" - -o constraints-build.txt
uv pip compile "${options[@]}" pyproject.toml -o constraints.txt
uv pip compile "${options[@]}" pyproject.toml --group dev -c constraints.txt -o constraints-dev.txt
uv pip compile "${options[@]}" pyproject.toml --extra distributed --extra otel --extra s3 -c constraints-dev.txt -o constraints-distributed.txt
