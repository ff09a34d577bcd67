#!/usr/bin/env bash
# The demo: make a small drive, ingest it, ask the same question as two people, then serve.
set -euo pipefail
cd "$(dirname "$0")/.."
export SEOGA_HOME=$PWD/.demo/home
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
share=$PWD/.demo/share
seoga=.venv/bin/seoga
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

mkdir -p .demo
if [ ! -e "$share/acl.yaml" ]; then
  say "예제 공유 폴더를 만듭니다 (making the example drive)"
  .venv/bin/python examples/make_share.py "$share"
fi
say "수집 (ingest)"
$seoga ingest "$share" --name share
QUESTION=${QUESTION:-"브라켓 균열 불량의 근본 원인"}
for reader in ${READERS:-kim choi}; do
  say "검색: \"$QUESTION\" — $reader (the same search as $reader)"
  $seoga search "$QUESTION" --as "$reader" --top 3
done
if [ "${SERVE:-1}" = 0 ]; then
  say "SERVE=0: 여기서 끝냅니다 (stopping before serving)"
  exit 0
fi
if [ -z "${SEOGA_API_TOKEN:-}" ]; then
  token_file=$PWD/.demo/token
  [ -s "$token_file" ] || (umask 077 && .venv/bin/python -c 'import secrets; print(secrets.token_urlsafe(32))' > "$token_file")
  export SEOGA_API_TOKEN_FILE=$token_file
  say "토큰 (token): .demo/token"
fi
say "서비스 (serving)"
cat <<TEXT
curl -s http://127.0.0.1:${SEOGA_API__PORT:-8470}/v1/search -H "Authorization: Bearer \$(cat .demo/token)" \\
  -H 'Content-Type: application/json' -d '{"query": "$QUESTION", "reader": "kim", "top": 3}'
TEXT
exec $seoga serve
