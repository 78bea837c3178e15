"""Who is let in: the user's own browser, for pages of the workbench, and nobody else."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from diglot.workbench.app import ROUTES
from diglot.workbench.bench import Bench
from workbench.made_bench import HOST, client_of

PATHS = [route.path.format(name="town", langs="en,fr", kind="tmx", stamp="0", action="pause") for route in ROUTES]


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_said_without_the_cookie(bench: Bench, path: str) -> None:
    with client_of(bench, enter=False) as stranger:
        for method in ("GET", "POST"):
            answer = stranger.request(method, path)
            assert answer.status_code == 403
            assert answer.text.startswith("This page is closed.")


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_another_token_lets_nobody_in(bench: Bench, token: str) -> None:
    with client_of(bench, enter=False) as stranger:
        answer = stranger.get("/enter", params={"token": token})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_the_cookie_is_for_the_server_alone(bench: Bench) -> None:
    with client_of(bench, enter=False) as client:
        cookie = client.get(client.keys.address).headers["set-cookie"].lower()  # type: ignore[attr-defined]
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "domain" not in cookie
        assert client.keys.token.lower() not in cookie  # type: ignore[attr-defined]
        assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    ("cookies", "status"),
    [
        *(("{own}", 200), ("theme=dark; {own}", 200), ("{own};a[b]=1", 200)),
        *(('prefs={{"x": "y"}}; {own}', 200), ("a[b]=1; {own}", 200), ("name=J. Doe; {own}", 200), ("x; {own}", 200)),
        # Another server may set a cookie of the same name for some paths.
        *(("{name}=wrong; {own}", 200), ("{own}; {name}=", 200)),
        *(("x={own}", 403), ("x{own}", 403), ("{own}x", 403), ("{name}", 403), ("{name}=", 403), ("", 403)),
    ],
)
def test_cookies_of_other_servers_lock_nobody_out(bench: Bench, cookies: str, status: int) -> None:
    with client_of(bench, enter=False) as client:
        keys = client.keys  # type: ignore[attr-defined]
        sent = cookies.format(own=f"{keys.cookie}={keys.session}", name=keys.cookie)
        assert client.get("/", headers={"cookie": sent}).status_code == status


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:8001", f"{HOST}.evil.example", "localhost:8000"]
)
def test_a_name_that_leads_here_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "http://127.0.0.1:8001", f"https://{HOST}", ""])
def test_other_sites_change_and_read_nothing(client: TestClient, origin: str) -> None:
    for method in ("GET", "POST"):
        assert client.request(method, "/", headers={"origin": origin}).status_code == 403


def test_a_change_needs_an_origin(bench: Bench) -> None:
    with client_of(bench) as client:
        del client.headers["origin"]
        assert client.get("/").status_code == 200
        assert client.post("/plan", json={}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_port_is_another_site(client: TestClient, site: str) -> None:
    assert client.get("/", headers={"sec-fetch-site": site}).status_code == 403


@pytest.mark.parametrize("path", ["/", "/new", "/sites/none", "/favicon.ico"])
def test_every_answer_has_a_strict_policy(client: TestClient, path: str) -> None:
    headers = client.get(path, headers={"accept": "text/html"}).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
