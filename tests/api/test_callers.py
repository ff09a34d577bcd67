"""Who may ask, and as whom: keys of services, tokens of people, and the limits of both."""

from __future__ import annotations

import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from fastapi.testclient import TestClient
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from app.commands.serve import callers_of
from app.sources import add_source
from app.wiring import open_catalog, open_kit, open_searcher, source_run
from contracts.errors import ConfigError
from contracts.settings import OidcSettings, Settings, SourceSettings
from search.api.app import create_app
from search.api.callers import Callers, Key, UnauthorisedError

PORTAL, AGENT = "a-key-of-the-portal-1", "a-key-of-the-agent-22"
ISSUER, AUDIENCE = "https://id.plant.example", "seoga"
SIGNING = rsa.generate_private_key(public_exponent=65537, key_size=2048)
FOREIGN = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CURVE = ec.generate_private_key(ec.SECP256R1())


def token(key=SIGNING, algorithm="RS256", kid="k1", **claims):
    """A token of the provider; claims that are None are left out."""
    now = int(time.time())
    values = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "exp": now + 300,
        "preferred_username": "kim",
        **claims,
    }
    kept = {name: value for name, value in values.items() if value is not None}
    return jwt.encode(kept, key, algorithm=algorithm, headers={"kid": kid})


@pytest.fixture(scope="module")
def key_set(tmp_path_factory):
    keys = [
        {**json.loads(RSAAlgorithm.to_jwk(SIGNING.public_key())), "kid": "k1", "alg": "RS256"},
        {**json.loads(ECAlgorithm.to_jwk(CURVE.public_key())), "kid": "k2", "alg": "ES256"},
    ]
    file = tmp_path_factory.mktemp("keys") / "jwks.json"
    file.write_text(json.dumps({"keys": keys}), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("callers")
    drive = folder / "drive"
    drive.mkdir()
    (drive / "acl.yaml").write_text(
        'realm: plant\nfolders: {"": [{allow: everyone}]}\n', encoding="utf-8"
    )
    people = "realm: plant\nusers: {kim: {groups: []}, lee: {groups: []}}\n"
    (drive / "directory.yaml").write_text(people, encoding="utf-8")
    (drive / "공개.txt").write_text("설비 점검 주기는 매주 월요일이다.", encoding="utf-8")
    made = Settings.model_validate({"home": folder / "home", "embedder": {"engine": "hash"}})
    with open_kit(made) as kit:
        source = SourceSettings(name="drive", root=drive)
        add_source(kit.catalog, source, origin="path")
        source_run(kit, source).content()
    return made


@pytest.fixture(scope="module")
def client(settings, key_set):
    oidc = OidcSettings(
        reader_claim="preferred_username",
        issuer=ISSUER,
        audience=AUDIENCE,
        jwks_file=key_set,
        algorithms=("RS256", "ES256"),
    )
    keys = [Key("portal", PORTAL), Key("agent", AGENT, readers=("lee", "*@plant"))]
    with open_searcher(settings, "api") as searcher:
        app = create_app(searcher, Callers(keys, oidc), dict)
        with TestClient(app, raise_server_exceptions=False) as client:
            yield client


def ask(client, bearer, reader="kim"):
    body = {"query": "설비 점검"} | ({"reader": reader} if reader else {})
    return client.post("/v1/search", json=body, headers={"Authorization": f"Bearer {bearer}"})


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_a_service_acts_for_the_readers_that_it_was_given(client):
    assert ask(client, PORTAL).status_code == 200
    assert ask(client, AGENT, "lee").status_code == 200
    assert ask(client, AGENT, "kim@plant").status_code == 200
    assert code(ask(client, AGENT, "kim")) == (403, "reader")
    assert code(ask(client, PORTAL, None)) == (403, "reader")


def test_who_asked_through_which_service_is_audited(client, settings):
    ask(client, AGENT, "lee")
    with open_catalog(settings) as catalog:
        (last,) = catalog.queries.tail(1)
    assert (last.reader, last.channel) == ("lee", "api:agent")


@pytest.mark.parametrize("reader", [None, "kim"])
def test_a_person_is_the_reader_of_the_token(client, reader):
    assert ask(client, token(), reader).json()["reader"] == "kim"
    assert ask(client, token(CURVE, "ES256", "k2"), reader).status_code == 200


def test_a_subject_is_who_the_identity_map_says_and_else_nobody(settings, key_set, tmp_path):
    file = tmp_path / "identities.yaml"
    file.write_text(f"people: [{{user: kim@plant, oidc: '{ISSUER}|s-1'}}]\n", encoding="utf-8")
    directory = settings.directory.model_copy(update={"identity_map": file})
    joined = settings.model_copy(update={"directory": directory})
    oidc = OidcSettings(issuer=ISSUER, audience=AUDIENCE, jwks_file=key_set)
    with open_searcher(joined, "api") as searcher:
        client = TestClient(create_app(searcher, Callers([], oidc), dict))
        found = ask(client, token(sub="s-1"), None)
        assert [hit["path"] for hit in found.json()["hits"]] == ["공개.txt"]
        # a name in the token, even one that the directory knows, makes nobody anybody
        assert code(ask(client, token(sub="s-2"), None)) == (403, "unknown_reader")
        assert code(ask(client, token(), None)) == (401, "unauthorised")


def test_a_person_may_name_nobody_else(client):
    assert code(ask(client, token(), "lee")) == (403, "reader")


@pytest.mark.parametrize(
    "bad",
    [
        token(FOREIGN),
        token(exp=int(time.time()) - 600),
        token(exp=None),
        token(aud="another"),
        token(iss="https://evil.example"),
        token(kid="unknown"),
        token(preferred_username=None),
        token(preferred_username=""),
        token(nbf=int(time.time()) + 3600),
        token("a-secret-that-is-long-enough-for-it", "HS256"),
        jwt.encode(
            {"iss": ISSUER, "aud": AUDIENCE, "preferred_username": "kim"}, None, algorithm="none"
        ),
        token()[:-4],
        "no.token.atall",
        "",
        "토큰",
    ],
    ids=[
        "foreign key",
        "expired",
        "no end",
        "for another",
        "of another",
        "unknown key",
        "nobody",
        "empty name",
        "not yet",
        "shared secret",
        "unsigned",
        "cut",
        "no token",
        "empty",
        "Korean",
    ],
)
def test_a_token_that_nobody_vouches_for_opens_nothing(client, bad):
    headers = {"Authorization": f"Bearer {bad}".encode()}
    answer = client.post("/v1/search", json={"query": "설비", "reader": "kim"}, headers=headers)
    assert code(answer) == (401, "unauthorised")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_symmetric_signature_by_the_public_key_is_refused(client):
    """The old confusion of algorithms: the public key taken for a shared secret."""
    import base64
    import hashlib
    import hmac

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = SIGNING.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "exp": int(time.time()) + 300,
        "preferred_username": "kim",
    }
    signed = part({"alg": "HS256", "kid": "k1"}) + b"." + part(claims)
    mac = base64.urlsafe_b64encode(hmac.new(public, signed, hashlib.sha256).digest()).rstrip(b"=")
    assert code(ask(client, (signed + b"." + mac).decode())) == (401, "unauthorised")


def test_a_caller_that_asks_too_often_waits(settings):
    with open_searcher(settings, "api") as searcher:
        keys = [Key("few", PORTAL, per_minute=3), Key("many", AGENT)]
        client = TestClient(create_app(searcher, Callers(keys), dict))
        assert [ask(client, PORTAL).status_code for _ in range(4)] == [200, 200, 200, 429]
        answer = ask(client, PORTAL)
        assert 1 <= int(answer.headers["Retry-After"]) <= 60
        assert answer.json()["error"]["code"] == "too_many"
        assert ask(client, AGENT).status_code == 200


def test_services_come_from_the_settings(tmp_path):
    file = tmp_path / "portal"
    file.write_text(f"{PORTAL}\n", encoding="utf-8")
    made = Settings.model_validate(
        {
            "home": tmp_path,
            "api": {"clients": [{"name": "portal", "token_file": file, "readers": ["kim"]}]},
        }
    )
    assert callers_of(made).caller(PORTAL).readers == ("kim",)
    with pytest.raises(UnauthorisedError):
        callers_of(made).caller("")


@pytest.mark.parametrize(
    ("keys", "said"),
    [([Key("a", "short")], "16"), ([Key("a", PORTAL), Key("b", PORTAL)], "share")],
)
def test_keys_that_tell_nobody_apart_are_refused(keys, said):
    with pytest.raises(ConfigError, match=said):
        Callers(keys)


def test_a_service_without_anybody_who_may_ask_does_not_start(tmp_path):
    with pytest.raises(ConfigError, match="no API token"):
        callers_of(Settings.model_validate({"home": tmp_path}))
    wrong = {"api": {"clients": [{"name": "x", "token_file": tmp_path / "none"}]}, "home": tmp_path}
    with pytest.raises(ConfigError, match="none"):
        callers_of(Settings.model_validate(wrong))


def test_a_session_of_a_person_hangs_on_the_provider_and_on_whom_its_tokens_are_for(key_set):
    def callers(**more):
        values = {"issuer": ISSUER, "audience": AUDIENCE, "jwks_file": key_set, **more}
        return Callers([Key("portal", PORTAL)], OidcSettings(**values))

    mark = callers().mark(ISSUER, "kim", "salt")
    assert mark
    assert mark == callers().mark(ISSUER, "lee", "salt"), "it is the provider's, whoever it is"
    assert callers(audience="another").mark(ISSUER, "kim", "salt") != mark
    assert callers(issuer="https://other.example").mark(ISSUER, "kim", "salt") == ""
    assert Callers([Key("portal", PORTAL)]).mark(ISSUER, "kim", "salt") == ""
