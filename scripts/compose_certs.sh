#!/usr/bin/env bash
# Makes the certificates and the secrets of the compose set, each once; what is there already is kept.
# usage: scripts/compose_certs.sh [FOLDER]      (default: deploy/secrets; name it as SEOGA_SECRETS in .env)
#
#   ca.pem, ca.key                the set's own certificate authority (10 years); ca.key is needed here only
#   opensearch.pem, .key          of the server, for its two TLS layers (825 days: the longest that clients accept)
#   admin.pem, .key               for securityadmin.sh, the way in when passwords are lost
#   *_password, *_token           48 random hex digits each
#
# The folder is closed to others (700). The files in it are readable (444): Docker mounts each one as it is, and the
# accounts inside the containers are not yours. To renew a file: delete it, run this again, restart what mounts it.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-deploy/secrets}
command -v openssl >/dev/null || { echo "openssl 이 필요합니다 (openssl is needed)" >&2; exit 1; }
umask 077
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"
made=()

if [ ! -s ca.pem ] || [ ! -s ca.key ]; then
  rm -f ca.pem ca.key
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days 3650 -subj "/CN=seoga-ca" \
    -addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign,cRLSign" \
    -keyout ca.key -out ca.pem 2>/dev/null
  rm -f opensearch.pem admin.pem # of another authority
  made+=(ca.pem)
fi

# certificate NAME COMMON_NAME EXTENSIONS: signed by the authority above; the key in PKCS#8, as OpenSearch reads it.
certificate() {
  [ -s "$1.pem" ] && [ -s "$1.key" ] && return
  rm -f "$1.pem" "$1.key"
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null
  openssl req -new -key "$1.key" -subj "/CN=$2" -out "$1.csr"
  printf 'basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\n%s\n' "$3" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -sha256 -days 825 -extfile "$1.ext" \
    -out "$1.pem" 2>/dev/null
  rm -f "$1.csr" "$1.ext" ca.srl
  made+=("$1.pem")
}
certificate opensearch opensearch \
  $'extendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=DNS:opensearch,DNS:localhost,IP:127.0.0.1'
certificate admin seoga-admin 'extendedKeyUsage=clientAuth'

for name in api_token metrics_token catalog_password queue_password index_password opensearch_admin_password grafana_password; do
  [ -s "$name" ] && continue
  openssl rand -hex 24 > "$name"
  made+=("$name")
done

chmod 444 ./*
chmod 400 ca.key
if [ ${#made[@]} = 0 ]; then
  echo "모두 있습니다 (everything is there): $folder"
else
  echo "$folder: ${made[*]}"
fi
