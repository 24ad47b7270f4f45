"""What the browser tests share: the running app, and how to wait for it and look at it."""

from __future__ import annotations

import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page, expect

ROOT = Path(__file__).parents[2]
CHROMIUM = Path("/usr/bin/chromium")
WAIT = 60_000  # ms; a page is up in about one second, a loaded machine gets more
# Opened by a deep link, Streamlit looks for its server below the page first, and gets two 404s.
PROBE = re.compile(r"Failed to load resource: .* 404 .*/\w+/_stcore/(health|host-config)\)$")
BACKGROUNDS = {"dark": "rgb(16, 22, 29)", "light": "rgb(255, 255, 255)"}
IDLE = (
    '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
    '[data-test-script-state="notRunning"]'
)


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A running app: its address and the file that its output goes to."""

    url: str
    log: Path


@contextmanager
def serve(
    command: Sequence[str],
    *,
    port: int,
    folder: Path,
    log: Path,
    environment: Mapping[str, str] | None = None,
    patience: float = 60.0,
) -> Iterator[App]:
    """Run ``command`` in ``folder`` until the block ends, and wait until it says it is healthy."""
    app = App(url=f"http://127.0.0.1:{port}", log=log)
    with log.open("wb") as out:
        server = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            deadline = time.monotonic() + patience
            while not _healthy(app.url):
                if server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"the app did not start; it said:\n{log.read_text()}")
                time.sleep(0.1)
            yield app
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5) as answer:
            return answer.read() == b"ok"
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a page said and asked for while it was open."""

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Note every error of the console or of a script, and every request."""

        def note_console(message: ConsoleMessage) -> None:
            said = f"{message.text} ({message.location.get('url', '')})"
            if message.type == "error" and not PROBE.match(said):
                self.errors.append(said)

        page.on("console", note_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda channel: self.requests.append(channel.url))

    def foreign(self, app_url: str) -> list[str]:
        """Return the requests that went to another host than the app's."""
        home = urlsplit(app_url).netloc
        return [
            url
            for url in self.requests
            if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != home
        ]


def idle(page: Page) -> None:
    """Wait until the app has answered: connected, no run under way, nothing stale on the screen."""
    page.wait_for_selector(IDLE, timeout=WAIT)
    page.wait_for_function("() => !document.querySelector('[data-stale=true]')", timeout=WAIT)


def goto(page: Page, path: str) -> None:
    """Open ``path`` of the app ("/errors?model=network"), and fail when it shows an exception."""
    page.goto(path, wait_until="domcontentloaded", timeout=WAIT)
    title = page.get_by_test_id("stMain").get_by_role("heading")
    title.or_(page.get_by_test_id("stException")).first.wait_for(timeout=WAIT)
    idle(page)
    assert_no_traceback(page)


def follow(page: Page, label: str) -> None:
    """Go to another page of the app by its menu, which a phone keeps folded away."""
    link = page.get_by_test_id("stSidebar").get_by_text(label, exact=True)
    unfold = page.get_by_test_id("stExpandSidebarButton")
    link.or_(unfold).filter(visible=True).first.wait_for(timeout=WAIT)
    if not link.is_visible():
        unfold.click()
    link.click()
    heading = page.get_by_test_id("stMain").get_by_role("heading", name=label, exact=True)
    expect(heading).to_be_visible(timeout=WAIT)
    idle(page)


def assert_no_traceback(page: Page) -> None:
    """Fail when the page shows an exception."""
    shown = page.get_by_test_id("stException").all_inner_texts()
    assert not shown, shown


def assert_no_horizontal_scroll(page: Page) -> None:
    """Fail when the page is wider than its window, and name what sticks out."""
    wide = page.evaluate(
        """() => {
            const boxes = [document.documentElement,
                           document.querySelector('[data-testid="stMain"]')];
            if (boxes.every(box => box.scrollWidth <= box.clientWidth)) return [];
            const right = boxes[1].getBoundingClientRect().right;
            return [...boxes[1].querySelectorAll('*')]
                .filter(e => e.getBoundingClientRect().right > right + 1)
                .map(e => e.dataset.testid || e.className.toString() || e.tagName)
                .slice(0, 10).concat('the page');
        }"""
    )
    assert not wide, f"wider than the window: {wide}"
