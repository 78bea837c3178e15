"""Whole crawls over loopback, in their own process, and what is made of them."""

from __future__ import annotations

import importlib.util
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from loopback import page_handler, running

from diglot.cli import main
from diglot.errors import RunFolderError, UsageError
from diglot.forgetting import forget
from diglot.harvesting import harvest
from diglot.layout import duration_text
from diglot.merging import merge
from diglot.outputs.same_run import own_folder
from diglot.pages import open_sources, read
from diglot.progress import Silent
from diglot.results.run import open_run
from diglot.run.crawl import crawl_into
from diglot.run.work import CRAWL
from diglot.survey.crawl_preview import plan_crawl
from diglot.updating import update
from made_website import website
from sentences import SENTENCES
from two_sites import HOSTS, sites, write_mixed

ROOT = Path(__file__).resolve().parents[2]


class Served:
    """A site on loopback: pages by path, requests counted; what has an entity tag answers 304 to it."""

    def __init__(self, pages: dict[str, bytes]) -> None:
        self.pages = pages
        self.asked: Counter[str] = Counter()
        self.instead: dict[str, tuple[int, dict[str, str]]] = {}
        """Status and fields of paths that have no page."""
        self.port = 0

    @property
    def start(self) -> str:
        """Address of the first page."""
        return f"http://127.0.0.1:{self.port}/en/chapter1.html"

    @property
    def options(self) -> dict[str, object]:
        """Crawl options that reach it, without delay."""
        return {"delay_s": 0.0, "allow_hosts": (f"127.0.0.1:{self.port}",)}


def self_signed(folder: Path) -> Path:
    """A key and a certificate of 127.0.0.1 that it signed itself, in one PEM file."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    built = x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = built.add_extension(alternative, critical=False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path = folder / "server.pem"
    path.write_bytes(key.private_bytes(pem, *plain) + certificate.public_bytes(pem))
    return path


@contextmanager
def serving(pages: dict[str, bytes], certificate: Path | None = None) -> Iterator[Served]:
    """Serve pages for the time of a block, over TLS where there is a certificate."""
    served = Served(pages)

    def page_of(path: str) -> bytes | None:
        served.asked[path] += 1
        return served.pages.get(path.lstrip("/"))

    server = ThreadingHTTPServer(("127.0.0.1", 0), page_handler(page_of, served.instead))
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    served.port = server.server_port
    with running(server):
        yield served


@pytest.mark.slow
def test_a_crawl_replaces_a_merge_once_it_has_pages_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for host, name in zip(HOSTS, ("garden", "harbour"), strict=True):
        harvest(write_mixed(tmp_path / f"{name}-pages", {host: sites()[host]}), "en,fr", tmp_path / name, jobs=1)
    out = tmp_path / "out"
    merged = merge([tmp_path / "garden", tmp_path / "harbour"], out)
    merged.export(["jsonl"])
    before = merged.summary()
    with serving(website()) as site:
        words = ["crawl", site.start, "-o", str(out), "--overwrite", "--delay", "0", "--allow-host"]
        assert main([*words, "no.example:1"]) == UsageError.exit_code
        assert open_run(out).summary() == before
        assert len(open_run(out).segments("en", "fr")) == len(merged.segments("en", "fr"))
        assert main(["verify", str(out)]) == 0
        capsys.readouterr()
        assert main([*words, f"127.0.0.1:{site.port}"]) == 0
        told = capsys.readouterr()
        assert "removed jsonl of the merge; `diglot export` makes them anew" in told.err
        assert "deleted with its outputs; the runs that it was made of stay" in told.err
        assert not (out / "out" / "en-fr.jsonl").exists()
        assert not (out / "out" / "en-fr.tmx").exists()
        # The runs stay, and so does what else is in the folder.
        assert (
            merge([tmp_path / "garden", tmp_path / "harbour"], tmp_path / "again").summary()["kept"] == before["kept"]
        )
        assert main(["stats", str(out)]) == RunFolderError.exit_code
        assert "diglot harvest" in capsys.readouterr().err
        run = harvest(site.start, "en,fr", out, crawl=site.options, jobs=1)
    assert run.pairs()
    assert main(["verify", str(out)]) == 0


def test_a_site_is_crawled_once(tmp_path: Path) -> None:
    pages = website()
    wanted = [path for path in pages if path.startswith(("en/chapter", "fr/chapter"))]
    with serving({**pages, "robots.txt": b"User-agent: *\nDisallow: /secret/\n"}) as site:
        with own_folder(tmp_path / "run") as folder:
            crawled = crawl_into(folder, [site.start], ("en", "fr"), Silent(), site.options)
        assert {path: site.asked[f"/{path}"] for path in wanted} == dict.fromkeys(wanted, 1)
    stored = {record.url for source in open_sources(list(map(str, crawled.files))) for record in read(source)}
    assert {f"http://127.0.0.1:{site.port}/{path}" for path in wanted} <= stored
    told = (tmp_path / "run" / "out" / "fetches.tsv").read_text(encoding="utf-8")
    assert all(f"/{path}\tdone\t" in told for path in wanted)


@pytest.mark.slow
def test_a_crawled_run_equals_its_archive_and_can_be_updated_and_forgotten(tmp_path: Path) -> None:
    pages = website()
    wanted = [path for path in pages if path.startswith(("en/chapter", "fr/chapter"))]
    with serving(pages) as site:
        run = harvest(site.start, "en,fr", tmp_path / "run", crawl=site.options, jobs=1)
        pairs = [(pair.src_url, pair.tgt_url) for pair in run.pairs()]
        archive = [str(path) for path in sorted((run.path / "warc").glob("*.warc.gz"))]
        again = harvest(archive, "en,fr", tmp_path / "again", jobs=1)
        assert [(pair.src_url, pair.tgt_url) for pair in again.pairs()] == pairs
        site.asked.clear()
        site.pages["en/chapter2.html"] = site.pages["en/chapter2.html"].replace(b"</main>", b"<p>New.</p></main>")
        del site.pages["fr/chapter5.html"]
        done = run.folder.recall(CRAWL, "done")
        with pytest.raises(UsageError, match="proxy='nowhere"):
            update(run.path, crawl={"proxy": "nowhere"})
        assert done
        assert run.folder.recall(CRAWL, "done") == done
        changes = update(run.path, jobs=1)
        assert changes.pages == {"same": 22, "changed": 1, "missing": 1}
        assert max(site.asked[f"/{path}"] for path in wanted) == 1
        told = (run.path / "out" / "changes.tsv").read_text(encoding="utf-8").splitlines()[1:]
        assert [line.split("/")[-1].split("\t") for line in told] == [
            ["chapter2.html", "changed"],
            ["chapter5.html", "missing"],
        ]

        forgotten = pairs[0][0]
        assert forget(run.path, url=forgotten, jobs=1).addresses == 1
        left = {address for pair in open_run(run.path).pairs() for address in (pair.src_url, pair.tgt_url)}
        assert forgotten not in left
        assert len(left) == 22
        sources = open_sources([str(path) for path in (run.path / "warc").glob("*.warc.gz")])
        assert forgotten not in {record.url for source in sources for record in read(source)}


NOT_CRAWLED = [
    ("http://127.0.0.1:1/", 2, "not crawled"),
    ("http://169.254.169.254/", 2, "link-local"),
    ("http://user@example.com/", 2, "user name"),
    ("http:///nohost", 2, "not a web address"),
    ("http://127.0.0.1:{port}/missing.html", 2, "the server answered 404"),
    pytest.param("http://127.0.0.1:{port}/inward", 2, "10.0.0.1 (private)", marks=pytest.mark.slow),
    pytest.param("http://127.0.0.1:{port}/wall", 3, "the site asks for a login (403)", marks=pytest.mark.slow),
    pytest.param("http://127.0.0.1:{port}/login", 3, "a form that asks for a password", marks=pytest.mark.slow),
    pytest.param("http://127.0.0.1:{port}/broken", 2, "run the same command again later", marks=pytest.mark.slow),
    pytest.param("http://no-such-host.example/", 2, "not known to the name servers", marks=pytest.mark.slow),
]
FORM = b"<html><p>Please log in.</p><form><input name=user><input type=password></form></html>"


@pytest.mark.parametrize(("start", "code", "told"), NOT_CRAWLED)
def test_a_start_that_cannot_be_crawled_is_one_line_and_leaves_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    start: str,
    code: int,
    told: str,
) -> None:
    monkeypatch.setenv("RES_OPTIONS", "timeout:1 attempts:1")
    with serving({"login": FORM}) as site:
        site.instead.update({"/inward": (302, {"Location": "http://10.0.0.1/"})})
        site.instead.update({"/wall": (403, {}), "/broken": (500, {})})
        address = start.format(port=site.port)
        options = ["--allow-host", f"127.0.0.1:{site.port}", "--delay", "0", "--quiet"]
        assert main(["harvest", address, "-l", "en,fr", "-o", str(tmp_path / "run"), *options]) == code
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_certificate_that_nobody_vouches_for_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(website(), certificate=self_signed(tmp_path)) as site:
        start = f"https://127.0.0.1:{site.port}/"
        options = ["--allow-host", f"127.0.0.1:{site.port}", "--delay", "0", "--quiet"]
        assert main(["crawl", start, "-o", str(tmp_path / "run"), *options]) == 2
        assert not site.asked
    error = capsys.readouterr().err
    assert "certificate" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_robots_that_forbid_all_are_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving({"robots.txt": b"User-agent: *\nDisallow: /\n", **website()}) as site:
        options = ["--allow-host", f"127.0.0.1:{site.port}", "--quiet"]
        assert main(["crawl", site.start, "-o", str(tmp_path / "run"), *options]) == 3
        assert set(site.asked) <= {"/robots.txt", "/.well-known/tdmrep.json", "/sitemap.xml"}
    assert "robots.txt does not allow it (robots.txt: line 2, Disallow: /)" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["plan", "crawl", "harvest"])
def test_a_crawl_without_h11_names_what_to_install_and_leaves_nothing(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("diglot.crawl.crawling.find_spec", lambda name: None if name == "h11" else name)
    out = [] if command == "plan" else ["-o", str(tmp_path / "run")]
    assert main([command, "http://a.example/", "-l", "en,fr", *out]) == UsageError.exit_code
    said = capsys.readouterr().err
    assert said == ("diglot: a crawl needs the package h11, which is not installed; try pip install 'diglot[crawl]'\n")
    assert not list(tmp_path.iterdir())


def test_a_plan_looks_at_twenty_pages_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with serving(website()) as site:
        plan = plan_crawl(site.start, ("en", "fr"), crawl=site.options)
        assert sum(count for path, count in site.asked.items() if "chapter" in path) == 20
    assert (plan.pages, plan.version_share, plan.complete) == (20, 1.0, False)
    assert plan.languages == {"en": 10, "fr": 10}
    assert (plan.other_hosts, plan.script_pages) == ({}, 0)
    assert plan.notices == [], "nobody stopped it at --max-pages"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["plan", "languages"])
def test_the_next_command_after_a_look_has_its_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(website()) as site:
        (host,) = site.options["allow_hosts"]
        assert main([command, site.start, "--allow-host", host, "--delay", "0"]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == f"next      diglot harvest {site.start} -l en,fr --delay 0 --allow-host {host}"


@pytest.mark.slow
def test_a_look_takes_each_language_of_a_page_as_a_page_where_asked(capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(f"<p>{SENTENCES[lang]} {SENTENCES[lang]}" for lang in ("en", "fr") for _ in range(4))
    with serving({"en/chapter1.html": f"<html lang=en>{text}".encode()}) as site:
        assert plan_crawl(site.start, crawl=site.options).languages == {"en": 1}
        plan = plan_crawl(site.start, split_pages=True, crawl=site.options)
        assert (plan.pages, plan.languages) == (1, {"en": 1, "fr": 1})
        (host,) = site.options["allow_hosts"]
        assert main(["plan", site.start, "--allow-host", host, "--split-pages"]) == 0
        told = capsys.readouterr().out.splitlines()[-1]
        assert told == f"next      diglot harvest {site.start} -l en,fr --split-pages --allow-host {host}"


@pytest.mark.slow
def test_a_plan_sees_links_to_other_hosts_and_pages_that_wait_for_scripts() -> None:
    long = "The harbour of the town opens every morning, before the fishing boats leave. " * 4
    link = "<a href=https://shop.example/{}>shop</a><a href=mailto:a@b.example>mail</a>"
    pages = {
        "en/chapter1.html": f"<html lang=en><p>{long}{link.format(1)}{link.format(2)}<a href=/a.html>a</a>"
        "<a href=/b.html>b</a>",
        "a.html": f"<html lang=en><script>make()</script><p>{long}{link.format(1)}",
        "b.html": "<html lang=en><script src=x.js></script><div id=app>Loading the page</div>",
    }
    with serving({path: text.encode() for path, text in pages.items()}) as site:
        plan = plan_crawl(site.start, crawl=site.options)
    assert plan.other_hosts == {"shop.example": 3}
    assert plan.script_pages == 1


@pytest.mark.parametrize(
    ("seconds", "text"), [(7500.0, "2 h 5 min"), (42.4, "42 s"), (200_000, "2 d 7 h"), (60, "1 min")]
)
def test_durations_are_told_to_two_units(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.slow
def test_every_verb_of_the_example_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("every_verb", ROOT / "examples" / "every_verb.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with serving(website()) as site:
        example.main(site.start, "en,fr", tmp_path, site.options)
    told = capsys.readouterr().out
    assert "20 verdicts; " in told
    assert "'same'>: 24}" in told
    assert "1 address forgotten" in told
    assert (tmp_path / "all" / "out" / "en-fr.tmx").is_file()


@pytest.mark.slow
def test_an_address_has_languages_and_a_folder_named_after_its_host(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving(website()) as site:
        reaching = ["--allow-host", f"127.0.0.1:{site.port}", "--delay", "0"]
        assert main(["languages", site.start, *reaching]) == 0
        told = capsys.readouterr().out
        assert told.splitlines()[0].split() == ["language", "pages"]
        assert f"next      diglot harvest {site.start} -l " in told
        assert main(["crawl", site.start, "--max-pages", "4", *reaching, "--quiet"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["127.0.0.1"]
    assert main(["crawl", "example.org/page"]) == UsageError.exit_code
    assert "name the run folder, as in -o run" in capsys.readouterr().err
