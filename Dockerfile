# The image of every Seoga process: API, workers, beat. Needs nothing from the network when it runs.
#   docker build -t seoga:0.1.0 .
# The sentence-transformers extra is left out: it would bring PyTorch, several times the size of the rest.

FROM python:3.11.13-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PATH=/opt/seoga/bin:$PATH
WORKDIR /build
RUN python -m venv /opt/seoga
# dependencies first, so that a change of the code does not fetch them again
COPY constraints-build.txt constraints-distributed.txt ./
RUN pip install --require-hashes -r constraints-build.txt \
 && pip install --require-hashes --no-build-isolation -r constraints-distributed.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY acl_sync acl_sync
COPY app app
COPY catalog catalog
COPY contracts contracts
COPY dashboard dashboard
COPY evaluation evaluation
COPY ingest ingest
COPY metadata metadata
COPY parsers parsers
COPY search search
COPY seoga_client seoga_client
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /build/wheels . \
 && pip install --no-deps /build/wheels/*.whl

FROM python:3.11.13-slim-bookworm AS runtime
# Debian's security updates come with the base image's next tag and with these packages
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libarchive13 tesseract-ocr tesseract-ocr-kor \
 && rm -rf /var/lib/apt/lists/*
# a fixed number: volumes and shares are given to it from outside
RUN groupadd --gid 10001 seoga \
 && useradd --uid 10001 --gid 10001 --home-dir /var/lib/seoga --no-create-home --shell /usr/sbin/nologin seoga \
 && install -d -m 700 -o seoga -g seoga /var/lib/seoga
COPY --from=build /opt/seoga /opt/seoga
ENV PATH=/opt/seoga/bin:$PATH \
    LANG=C.UTF-8 \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OMP_NUM_THREADS=1 \
    OMP_THREAD_LIMIT=1 \
    SEOGA_HOME=/var/lib/seoga
USER 10001:10001
WORKDIR /var/lib/seoga
EXPOSE 8470
STOPSIGNAL SIGTERM
# of the API; docker-compose.yml gives the workers their own
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8470/v1/health', timeout=4)"]
ENTRYPOINT ["seoga"]
CMD ["serve", "--host", "0.0.0.0"]
