# Two commands for a newcomer: make demo, make test.
PY := .venv/bin/python
CORPUS ?= ../shared/corpus
FACTS_TOOL ?= ../shared/tools/score_facts.py
KORQUAD ?= ../shared/korquad/KorQuAD_v1.0_dev.json
SERVE ?= 1
CHUNKS ?= 1000000
SEED ?= 6
PAGES ?= 24
DOCUMENTS ?= 1000000
FUZZ ?= --full
ROUNDS ?= 20
PERMISSIONS ?=
SEARCH ?=
PLANT ?=
BENCH ?=

.PHONY: help setup demo test test-dashboard test-distributed test-permissions test-search faults lint acceptance acceptance-full eval-plant bench bench-dashboard bench-embedding bench-opensearch bench-mail bench-workbook bench-deck bench-long bench-ocr bench-parse fuzz lock clean test-sentence-transformers

help: ## 이 도움말 (this help)
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1: /'

setup: ## 설치만 (set up only)
	@scripts/setup.sh run

demo: setup ## 예제 공유 폴더를 수집하고 두 사람으로 검색한 뒤 서비스 (demo; SERVE=0 stops before serving)
	@SERVE=$(SERVE) scripts/demo.sh

lint: ## 형식, 린트, 타입, 계층 (format, lint, types, layers)
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	.venv/bin/lint-imports
	.venv/bin/deptry .

test: ## 설치하고 모든 검사를 통과 (set up and pass every check)
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory lint
	$(PY) -m pytest -n 2 --dist loadfile -m "not distributed and not browser"

acceptance: ## 인수 시험, 줄인 크기로 (the promises on real files, reduced sizes)
	@scripts/setup.sh test
	$(PY) scripts/acceptance.py --corpus $(CORPUS) --facts-tool $(FACTS_TOOL)

test-distributed: ## 실제 서버로: 계약 시험, 두 색인 비교, 두 방식의 수집 비교, 짧은 장애 시험 (on real servers: contracts, comparisons, short fault run)
	@scripts/setup.sh test
	$(PY) scripts/distributed.py --corpus $(CORPUS)

test-dashboard: ## 운영 화면: 실제 Chromium 으로, 화면은 var/screenshots/ 에 (journeys in a real browser; screenshots)
	@scripts/setup.sh dashboard
	$(PY) -m pytest tests/dashboard --corpus $(CORPUS)

test-permissions: ## 권한: 회수, 누출, 시간, 다시 훑기, 사례; PERMISSIONS="--reduced" (what following permissions promises)
	@scripts/setup.sh test
	$(PY) scripts/permissions.py $(PERMISSIONS)

test-search: ## 검색: 시험, schemathesis, 이상한 요청 10,000개, KorQuAD, 거절; SEARCH="--reduced" (what the search promises)
	@scripts/setup.sh test
	$(PY) scripts/test_search.py --korquad $(KORQUAD) --corpus $(CORPUS) $(SEARCH)

faults: ## 장애 시험: 여섯 가지를 임의의 순간에 $(ROUNDS)번씩 (faults at random moments; ROUNDS=20)
	@scripts/setup.sh test
	$(PY) scripts/faults.py --rounds $(ROUNDS)

test-sentence-transformers: ## sentence-transformers 임베더를 실제 모델로, 따로 설치 (with real weights, in .venv-st, 6 GB)
	@scripts/setup.sh test
	scripts/test_sentence_transformers.sh

bench-opensearch: ## OpenSearch 색인의 수집 속도와 검색 시간 (ingest rate and search times at 10k, 100k, CHUNKS=1000000)
	@scripts/setup.sh test
	$(PY) scripts/opensearch_server.py --heap 2g exec -- $(PY) -m evaluation.bench_opensearch --url {url} \
		--chunks $(CHUNKS) --report docs/reports/opensearch.md

eval-plant: ## 가상 부품사의 드라이브와 질문으로 (the plant benchmark; keeps all in .plant; PLANT="--seed 12")
	@scripts/setup.sh scans
	@rm -rf .plant
	.venv/bin/seoga eval plant --out .plant $(PLANT)

bench: ## 성능 전부를 한 번에, 보고서와 단위 비용까지; BENCH="--reduced --only rescan" (all of performance in one run)
	@scripts/setup.sh test
	$(PY) scripts/bench.py --corpus $(CORPUS) --facts-tool $(FACTS_TOOL) --korquad $(KORQUAD) $(BENCH)

bench-dashboard: ## 운영 화면의 시간, 문서 DOCUMENTS=1000000건에서 (how long pages take over a large catalog)
	@scripts/setup.sh run
	$(PY) scripts/bench_dashboard.py --documents $(DOCUMENTS)

bench-embedding: ## 임베딩 엔진 비교 (both embedding engines, side by side)
	@scripts/setup.sh run
	$(PY) -m evaluation.bench_embedding --korquad $(KORQUAD)

bench-mail: ## 메일 자르기의 정밀도와 재현율 (how well signatures and quotations are cut)
	@scripts/setup.sh run
	$(PY) -m evaluation.bench_mail --show

bench-ocr: ## 스캔 인식의 글자 오류율 (recognition of Korean scans made here; SEED=, PAGES=)
	@scripts/setup.sh scans
	$(PY) -m evaluation.bench_ocr --seed $(SEED) --pages $(PAGES)

fuzz: ## 망가진 파일 10,000개 (10,000 damaged files of all formats; FUZZ="--count 400" for a short run, FUZZ="--from FOLDER")
	@scripts/setup.sh run
	$(PY) scripts/fuzz.py $(FUZZ)

bench-parse: ## 형식별 읽기 시간과 사실을 다른 도구와 나란히 (seconds and facts by format beside other readers; needs node, maven, Java)
	@scripts/setup.sh test
	$(PY) scripts/bench_parse.py --corpus $(CORPUS) --facts-tool $(FACTS_TOOL) $(BENCH)

bench-workbook: ## 백만 행 통합 문서 (a workbook of a million rows: pace, memory, and what was stored)
	@scripts/setup.sh run
	$(PY) -m evaluation.bench_workbook

bench-long: ## 2,000쪽 PDF와 500쪽 스캔, 다섯 번 죽이며 (a PDF of 2,000 pages, and a scan of 500 that is killed five times)
	@scripts/setup.sh run
	$(PY) scripts/bench_long.py

bench-deck: ## 500장 발표 자료 (a presentation of 500 slides: seconds and memory)
	@scripts/setup.sh run
	$(PY) -m evaluation.bench_deck

acceptance-full: ## 인수 시험, 약속한 크기로 (the same at the promised sizes)
	@scripts/setup.sh test
	$(PY) scripts/acceptance.py --full --corpus $(CORPUS) --facts-tool $(FACTS_TOOL)

lock: ## 고정 버전 갱신 (pin all dependencies anew; needs uv)
	scripts/lock.sh

clean: ## 설치와 데모를 지움 (remove the installation and the demo)
	rm -rf .venv .venv-st .demo .acceptance .plant
