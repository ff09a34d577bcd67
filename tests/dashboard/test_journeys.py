"""The ways of people through the dashboard, in a real browser over the example drive: ``make test-dashboard``."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
FOLDER = "plant"
ROOT = Path(__file__).parents[2]
REPORT = "품질/8D/QP-8D-2024-0031_브라켓균열.docx"


@pytest.fixture(scope="module")
def site(make_site):
    """The example drive, with files that cannot be read, and a second source with many files."""
    made = make_site()
    drive, many = made.folder / "drive", made.folder / "many"
    subprocess.run(
        [sys.executable, ROOT / "examples/make_share.py", drive], check=True, capture_output=True
    )
    (drive / "생산" / "잘린도면.pdf").write_bytes(b"%PDF-1.4\n1 0 obj")
    (drive / "설계" / "지그.dwg").write_bytes(b"AC1027" + bytes(300))
    (drive / "품질" / "빈파일.docx").write_bytes(b"")
    many.mkdir()
    for number in range(80):
        (many / f"점검표_{number:02}.txt").write_text(
            f"점검표 {number}번, 이상 없음.\n", encoding="utf-8"
        )
    (many / "acl.yaml").write_text(
        'realm: hanbit\nfolders: {"": [{allow: "group:staff"}]}\n', "utf-8"
    )
    made.seoga("ingest", str(drive), "--name", "drive", "--json")
    made.seoga("ingest", str(many), "--name", "many", "--json")
    for query, reader in (
        ("세척액 온도 기준", "lee"),
        ("없는말없는말", "lee"),
        ("균열 원인", "choi"),
    ):
        made.seoga("search", query, "--as", reader)
    made.start()
    return made


def cell(eyes, text):
    return eyes.page.locator("td", has_text=text).first


def test_every_page_is_whole_in_both_languages_and_themes(eyes):
    eyes.go("/login")
    eyes.look("login")
    eyes.log_in("seo")
    pages = {
        "overview": "/", "documents": "/documents", "failures": "/failures", "review": "/review",
        "worst": "/review/worst?grade=A", "conflicts": "/conflicts", "ledger": "/permissions",
        "report": "/permissions/report?source=drive", "actions": "/permissions/actions",
        "analytics": "/analytics", "feedback": "/analytics/feedback", "synonyms": "/synonyms", "searches": "/analytics/searches", "sources": "/sources",
    }  # fmt: skip
    for name, path in pages.items():
        eyes.go(path)
        eyes.look(name)
    eyes.page.select_option("#lang", "en")
    eyes.page.select_option("#theme", "dark")
    eyes.page.click(".who button")
    for name, path in pages.items():
        eyes.go(path)
        assert eyes.page.get_attribute("html", "lang") == "en"
        assert eyes.page.get_attribute("html", "data-theme") == "dark"
        eyes.look(f"{name}_dark_en")


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("eyes", [PHONE], indirect=True)
def test_the_pages_fit_a_phone(eyes):
    eyes.log_in("seo")
    for name, path in (("overview", "/"), ("failures", "/failures"), ("sources", "/sources")):
        eyes.go(path)
        eyes.look(f"{name}_phone")


def test_the_pages_work_from_the_keyboard(eyes):
    eyes.log_in("seo")
    eyes.go("/documents")
    eyes.page.keyboard.press("Tab")
    assert eyes.page.evaluate("document.activeElement.className") == "skip"
    eyes.page.keyboard.press("Enter")
    assert eyes.page.evaluate("document.activeElement.id") == "main"
    eyes.page.locator("td.path a").first.focus()
    eyes.page.keyboard.press("Enter")
    eyes.page.wait_for_selector("ol.life")
    eyes.look("document")


def test_the_pages_can_be_read_without_scripts(chromium, site):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.address}/login")
    page.fill("#token", "a-token-of-the-dashboard")
    page.fill("#reader", "seo")
    page.press("#reader", "Enter")
    page.goto(f"{site.address}/documents")
    page.click(".more a")
    assert page.locator("td.path").count() > 10
    context.close()


def _follow_boxes(page):
    """A box on the picture leads to its block, and back."""
    first = page.locator("svg a[data-block]").first
    number = first.get_attribute("data-block")
    first.click()
    assert page.url.endswith(f"#b{number}")
    page.locator(f"#b{number} .about a").click()
    assert page.url.endswith(f"#r{number}")


def test_a_sample_is_reviewed_from_the_draw_to_the_verdict_by_two_people(eyes):
    page = eyes.page
    eyes.log_in("seo")
    eyes.go("/review")
    page.fill("#count", "8")
    page.click("text=표본 뽑기")
    page.wait_for_url("**/review/draws/*")
    eyes.look("draw")
    draw = page.url.split("/draws/")[1].split("?")[0]
    page.locator("td.path a", has_text="pdf").first.click()
    _follow_boxes(page)
    eyes.look("sample")
    page.check("input[name=block] >> nth=0")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("2")
    assert page.is_checked("input[value=minor]")
    page.fill("input[name=note]", "첫 블록의 글자가 다르다")
    reviewed = page.url.split("?")[0].split("#")[0]
    page.click("text=적기")
    page.wait_for_selector(".notice")
    # the second reviewer does not see the first one's verdict before their own
    eyes.log_in("kim")
    eyes.go(f"/review/draws/{draw}")
    page.goto(f"{reviewed}?draw={draw}")
    assert "첫 블록의 글자가 다르다" not in page.content()
    page.check("input[value=minor]")
    page.click("text=적기")
    page.wait_for_selector(".notice")
    page.goto(reviewed)
    assert "첫 블록의 글자가 다르다" in page.content()
    eyes.look("sample_two_reviewers")
    eyes.go("/review")
    row = page.locator("#table-agreement tbody tr").first.inner_text()
    assert "kim" in row
    assert "seo" in row
    assert "100" in row
    eyes.look("review_agreement")


def test_a_page_is_read_anew_with_other_settings_beside_what_is_indexed(eyes):
    page = eyes.page
    eyes.log_in("seo")
    eyes.go("/documents?format=pdf&kind=indexed")
    page.locator("td.path a", has_text="스캔").first.click()
    page.click("text=다른 설정으로 다시 읽기")
    eyes.look("again")
    page.select_option("#ocr", "force")
    page.select_option("#dpi", "200")
    page.click("text=다시 읽어 비교")
    page.wait_for_selector("#table-figures")
    assert page.locator(".pair").count() > 2
    assert "블록 확신도 평균" in page.locator("#table-figures").inner_text()
    assert page.input_value("#dpi") == "200"
    eyes.look("again_beside")
    page.select_option("#ocr", "off")
    page.click("text=다시 읽어 비교")
    page.wait_for_selector(".pair.removed, .problem")


@pytest.mark.parametrize("eyes", [PHONE], indirect=True)
def test_two_readings_fit_a_phone(eyes):
    page = eyes.page
    eyes.log_in("seo")
    page.select_option("#theme", "dark")
    page.click(".who button")
    eyes.go("/documents?format=pdf&kind=indexed")
    page.locator("td.path a").first.click()
    page.click("text=다른 설정으로 다시 읽기")
    page.click("text=다시 읽어 비교")
    page.wait_for_selector("#table-figures")
    eyes.look("again_phone_dark")


def test_why_a_user_cannot_see_a_document(eyes):
    eyes.log_in("seo")
    eyes.go("/permissions/explain")
    eyes.page.fill("#document", REPORT)
    eyes.page.fill("#of", "choi")
    eyes.page.click("text=묻기")
    eyes.look("explain")
    assert "읽을 수 없음" in eyes.page.inner_text("main h2")
    steps = eyes.page.locator("table tbody").inner_text()
    assert "user:choi@hanbit" in steps
    assert "거부" in steps


def test_a_class_of_failures_is_tried_again(eyes):
    page = eyes.page
    eyes.log_in("seo")
    eyes.go("/failures")
    page.locator("#table-failure_classes a", has_text="미지원 형식").first.click()
    eyes.look("failures_class")
    before = page.locator("#table-failures td.time time").first.get_attribute("datetime")
    files = page.locator("#table-failures tbody tr").count()
    page.click("text=이 목록의 파일을 모두 다시 시도")
    assert f"{files}건" in page.inner_text(".notice")
    until = time.monotonic() + 90
    while page.locator("#table-failures td.time time").first.get_attribute("datetime") == before:
        assert time.monotonic() < until, "nobody tried again"
        time.sleep(1)
        eyes.go("/failures?failure=unsupported")
    eyes.look("failures_tried_again")


def test_deletions_are_looked_at_and_confirmed(eyes, site):
    page = eyes.page
    for file in sorted((site.folder / "many").glob("*.txt"))[:60]:
        file.unlink()
    eyes.log_in("seo")
    eyes.go("/sources")
    page.locator("section.source", has_text="many").get_by_text("지금 권한 동기화").click()
    until = time.monotonic() + 90
    while not page.locator("a", has_text="삭제 60건 확인").count():
        assert time.monotonic() < until, "nothing was hidden"
        time.sleep(1)
        eyes.go("/sources")
    eyes.look("sources_hidden")
    page.click("text=삭제 60건 확인")
    assert page.locator("td.path").count() == 50
    page.click("text=더 보기")
    page.locator("td.path").nth(59).wait_for()
    assert page.locator("td.path").count() == 60
    eyes.look("deletions")
    page.fill("#name", "drive")
    page.click("button.danger")
    assert "이름이 맞지 않아" in page.inner_text(".notice")
    page.fill("#name", "many")
    page.click("button.danger")
    page.wait_for_selector(".notice")
    until = time.monotonic() + 60
    while True:
        eyes.go("/documents?source=many&kind=indexed")
        if page.locator("#table-documents td.path").count() == 20:
            break
        assert time.monotonic() < until, page.inner_text("main")
        time.sleep(1)


def test_a_conflict_is_settled_with_its_evidence_beside_each_value(eyes):
    page = eyes.page
    eyes.log_in("seo")
    eyes.go("/conflicts")
    page.locator("td.path a").first.click()
    eyes.look("conflict")
    assert page.locator(".evidence li").count() >= 2
    value = page.locator(".choice b").nth(1).inner_text()
    page.locator(".choice input").nth(1).check()
    page.click("text=이 값으로 정리")
    assert "정리했습니다" in page.inner_text(".notice")
    eyes.go("/conflicts?state=settled")
    row = page.locator("#table-conflicts tbody tr").first.inner_text()
    assert value in row
    assert "seo" in row
    eyes.look("conflicts_settled")


def test_a_synonym_is_added_and_changes_what_is_found(eyes, site):
    page = eyes.page
    eyes.log_in("seo")
    eyes.go("/synonyms")
    page.fill("#text", "synonyms:\n  - [뚱딴지말, 세척액]\n")
    page.fill("#query", "뚱딴지말")
    page.click("text=미리 보기")
    assert "세척" in page.locator("#after").inner_text()
    assert "세척" not in page.locator("#before").inner_text().split("\n")[1:3]
    eyes.look("synonyms_preview")
    page.fill("#note", "현장 말")
    page.click("button[value=apply]")
    assert "새 판이 쓰입니다" in page.inner_text(".notice")
    assert "세척" in site.seoga("search", "뚱딴지말", "--as", "lee", "--top", "1")
    page.fill("#text", "synonyms: [쓸 수 없는")
    page.click("button[value=apply]")
    eyes.look("synonyms_refused")
    assert page.locator("[role=alert]").count() == 1
    assert "쓸 수 없는" in page.input_value("#text")


def test_golden_figures_are_looked_at_over_time(eyes, site):
    page = eyes.page
    lines = (ROOT / "examples/golden.jsonl").read_text(encoding="utf-8").splitlines()
    golden = site.folder / "golden.jsonl"
    eyes.log_in("seo")
    eyes.go("/analytics")
    eyes.look("analytics_without_golden")
    for most in (4, 8, 8):
        golden.write_text("\n".join(lines[:most]), encoding="utf-8")
        site.seoga("eval", "run", str(golden))
    eyes.go("/analytics")
    eyes.look("analytics_golden")
    assert page.locator("#table-golden tbody tr").count() == 3
    page.locator("#table-golden tbody a").first.click()
    assert page.locator("#table-golden tbody tr").count() == 3
    eyes.look("golden")
    page.select_option("#theme", "dark")
    page.click(".who button")
    eyes.go("/analytics")
    eyes.look("analytics_golden_dark")


def test_a_table_is_exported_whole(eyes):
    eyes.log_in("seo")
    eyes.go("/documents")
    with eyes.page.expect_download() as download:
        eyes.page.click("a.csv")
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert text.count("\n") > 55, "more than the page shows"
    assert "점검표_79.txt" in text
