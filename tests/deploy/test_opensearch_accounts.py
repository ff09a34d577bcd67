"""Who may do what at the set's OpenSearch: a real one, with its security plugin and the set's own files."""

from __future__ import annotations

import ssl
import urllib.request

import pytest

pytestmark = [pytest.mark.distributed, pytest.mark.timeout(1200)]


def test_nobody_gets_in_without_a_password_of_ours(secure_opensearch):
    for user, password in (
        ("admin", "admin"),
        ("kibanaserver", "kibanaserver"),
        ("seoga", "seoga"),
    ):
        assert secure_opensearch.ask("/", user, password).status == 401
    assert secure_opensearch.ask("/", "seoga").status == 200
    assert secure_opensearch.ask("/_plugins/_security/api/internalusers", "admin").status == 200


def test_it_speaks_tls_with_the_certificate_of_the_set_only(secure_opensearch):
    plain = secure_opensearch.url.replace("https", "http")
    with pytest.raises(OSError):  # noqa: PT011  cut off: however the socket says so
        urllib.request.urlopen(plain, timeout=5)  # noqa: S310  loopback
    stranger = ssl.create_default_context()
    with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(secure_opensearch.url, context=stranger, timeout=5)  # noqa: S310


def test_the_account_of_seoga_has_its_own_indexes_and_no_others(secure_opensearch):
    def ask(method: str, path: str, body=None, user: str = "seoga") -> int:
        return secure_opensearch.ask(path, user, method=method, body=body).status

    assert ask("PUT", "/seoga-probe", {}) == 200
    # an empty document with its routing: right whether or not another test has put our strict template there
    assert ask("PUT", "/seoga-probe/_doc/1?refresh=true&routing=1", {}) == 201
    assert ask("GET", "/seoga-probe/_search") == 200
    assert ask("DELETE", "/seoga-probe") == 200
    assert ask("PUT", "/other", {}, user="admin") == 200
    assert ask("GET", "/other/_search") == 403
    assert ask("PUT", "/another", {}) == 403
    assert ask("DELETE", "/other") == 403
    assert ask("GET", "/.opendistro_security/_search") == 403
    assert ask("GET", "/_plugins/_security/api/internalusers") == 403
    assert ask("PUT", "/_cluster/settings", {"transient": {"search.max_buckets": 9}}) == 403
    assert ask("DELETE", "/other", user="admin") == 200


def test_an_index_of_ours_does_not_come_by_itself(secure_opensearch):
    """Without its template it would be searched wrongly and nobody would notice."""
    answer = secure_opensearch.ask("/seoga-stray/_doc/1", "seoga", method="PUT", body={"a": 1})
    assert answer.status == 404
    assert "auto" in answer.text
