#!/usr/bin/env bash
# Sets a bare Debian 12 or Ubuntu machine up: system packages, a virtual environment, the package itself.
# usage: scripts/setup.sh run|test|dashboard|scans      (run: what serving needs; test: the servers that the tests start, too;
#        dashboard: the browser that its tests drive, and fonts, too;
#        scans: the fonts that the scans of the recognition bench are written in, too)
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-run}

run_packages=(libarchive13 tesseract-ocr tesseract-ocr-kor)
scans_packages=(fonts-nanum fonts-noto-cjk)
test_packages=(postgresql acl redis-server openjdk-17-jre-headless maven prometheus "${scans_packages[@]}")
test_packages+=(samba samba-ad-provision samba-dsdb-modules python3-samba samba-vfs-modules winbind smbclient dovecot-imapd slapd ldap-utils)
command -v soffice >/dev/null || test_packages+=(libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui)
wanted=("${run_packages[@]}")
[ "$what" = dashboard ] && wanted+=(chromium fonts-noto-cjk)
[ "$what" = scans ] && wanted+=("${scans_packages[@]}")
[ "$what" = test ] && wanted+=("${test_packages[@]}")

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
install_packages() {
  local missing=()
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} = 0 ] && return
  say "시스템 패키지 설치 (system packages): ${missing[*]}"
  as_root apt-get update -qq
  # the tests start servers of their own: those of the packages would hold their ports
  local guard=/usr/sbin/policy-rc.d made=0
  if [ "$what" = test ] && [ ! -e $guard ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee $guard >/dev/null
    as_root chmod 755 $guard
    made=1
  fi
  local status=0
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || status=$?
  [ $made = 0 ] || as_root rm -f $guard
  return $status
}

python=${PYTHON:-}
if [ -z "$python" ]; then
  for candidate in python3.11 python3.12 python3.13 python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
      python=$candidate
      break
    fi
  done
fi
[ -n "$python" ] || { echo "Python 3.11 이상이 필요합니다 (Python 3.11 or newer is needed)" >&2; exit 1; }

install_packages "${wanted[@]}"
if [ ! -x .venv/bin/python ]; then
  if ! "$python" -m venv .venv >/dev/null 2>&1; then
    rm -rf .venv
    version=$("$python" -c 'import sys; print(f"{sys.version_info.major}.{sys.version_info.minor}")')
    if apt-cache show "python$version-venv" >/dev/null 2>&1; then install_packages "python$version-venv"; else install_packages python3-venv; fi
    "$python" -m venv .venv
  fi
fi

# Installed again only when the pins or the package's metadata have changed.
pins=constraints.txt
[ "$what" = test ] || [ "$what" = dashboard ] && pins=constraints-dev.txt
stamp=.venv/.installed-$what
now=$(cat "$pins" constraints-build.txt pyproject.toml | sha256sum)
if [ "$(cat "$stamp" 2>/dev/null)" != "$now" ]; then
  say "파이썬 패키지 설치 (Python packages)"
  pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }
  pip install -q --require-hashes -r constraints-build.txt
  pip install -q --require-hashes --no-build-isolation -r "$pins"
  pip install -q --no-deps --no-build-isolation -e .
  printf '%s' "$now" > "$stamp"
fi
