"""Driving one workspace: its panels, and its `devices`. Answers have the names of the API."""

from typing import Any, Literal, Required, TypedDict
from urllib.parse import quote

from .calls import ANSWER_S, Call, Download, Follow, given, query_of
from .devices import Devices

EVAL_S = 5.0
SHARING_S = 10.0
SHOT_S = 15.0

Direction = Literal["horizontal", "vertical"]
Level = Literal["debug", "info", "warn", "error"]


class Tab(TypedDict):
    tabId: str
    panelId: str
    panelType: str
    panelState: dict[str, Any]
    name: str
    kind: str
    active: bool


class Opened(TypedDict):
    panelId: str
    tabId: str
    reused: bool
    built: bool
    revision: int


class OpenedBeside(Opened):
    newPanelId: str


class Probe(TypedDict):
    browser_connected: bool
    sse_connections: int
    sharing: bool


class Eval(TypedDict, total=False):
    """`executed` has `result`, `error` has `error`, and `queued`, while no browser shows the panel, has `id`."""

    status: Required[Literal["executed", "error", "queued"]]
    result: Any
    error: str
    id: str
    logs: list[dict[str, str]]


class Screenshot(TypedDict):
    path: str
    url: str
    width: int
    height: int
    scale: float


class LogEntry(TypedDict):
    id: int
    at: str
    level: Level
    source: str
    message: str


class Workspace:
    def __init__(self, call: Call, follow: Follow, download: Download, base_url: str, owner: str, repo: str) -> None:
        name = f"{quote(owner, safe='')}/{quote(repo, safe='')}"
        self.page = f"{base_url}/w/{name}"
        self._call = call
        self._current = f"/api/workspaces/editor/{name}/current"
        self.devices = Devices(call, follow, download, self._current)
        self._webview = f"/api/panels/webview/{name}"
        self._sandbox = f"/api/panels/sandbox/{name}"

    def layout(self) -> dict[str, Any]:
        """Splits and leaves; the id of a leaf is the `panel_id` of the other calls."""
        return self._call("GET", self._current)

    def tabs(self) -> list[Tab]:
        return self._call("GET", f"{self._current}/tabs")["tabs"]

    def probe(self) -> Probe:
        """Whether a browser shows the workspace, and shares its screen."""
        return self._call("GET", f"{self._current}/probe")

    def open_tab(
        self,
        panel_type: str,
        *,
        panel_id: str | None = None,
        name: str | None = None,
        state: dict[str, Any] | None = None,
        reuse: bool | None = None,
        background: bool | None = None,
    ) -> Opened:
        """Opens a panel, such as `webview` or `sandbox`, in the named panel or else in the first one."""
        panel = _panel(panel_type, name, state, reuse, background)
        return self._call("POST", f"{self._current}/tabs", {**given(panelId=panel_id), **panel})

    def split(
        self,
        panel_id: str,
        direction: Direction,
        panel_type: str,
        *,
        name: str | None = None,
        state: dict[str, Any] | None = None,
        reuse: bool | None = None,
        ratio: float | None = None,
    ) -> OpenedBeside:
        """Opens a panel beside another one."""
        panel = _panel(panel_type, name, state, reuse, None)
        body = {**given(panelId=panel_id, direction=direction, ratio=ratio), **panel}
        return self._call("POST", f"{self._current}/splits", body)

    def show_tab(self, tab_id: str) -> None:
        self._call("PATCH", f"{self._current}/tabs", {"tabId": tab_id, "active": True})

    def set_state(self, tab_id: str, state: dict[str, Any]) -> None:
        """Changes these keys of the panel's state; None removes one."""
        self._call("PATCH", f"{self._current}/tabs", {"tabId": tab_id, "panelState": state})

    def close_tab(self, tab_id: str) -> None:
        self._call("DELETE", f"{self._current}/tabs", {"tabId": tab_id})

    def navigate(self, panel_id: str, url: str) -> None:
        """Loads a page in a web view, now or when a browser shows it."""
        self._act(self._webview, panel_id, "navigate", url=url)

    def refresh(self, panel_id: str) -> None:
        self._act(self._webview, panel_id, "refresh")

    def eval(self, panel_id: str, code: str, *, timeout: float = EVAL_S) -> Eval:
        """Runs JavaScript in a sandbox, like a console. An error in the code is a result, not an exception."""
        body = {"panelId": panel_id, "action": "eval", "code": code, "timeoutMs": round(timeout * 1000)}
        return self._call("PATCH", self._sandbox, body, timeout=ANSWER_S + timeout)

    def eval_result(self, id: str) -> Eval:
        """The result of code that was queued."""
        return self._call("GET", f"{self._sandbox}/evals/{quote(id, safe='')}")

    def reset(self, panel_id: str) -> None:
        """A new, empty sandbox."""
        self._act(self._sandbox, panel_id, "reset")

    def screenshot(
        self, panel_id: str | None = None, *, reason: str | None = None, wait_for_sharing: float = SHARING_S
    ) -> Screenshot:
        """Saves a picture of a panel, or of the whole workspace. Somebody must share the screen."""
        body = given(panelId=panel_id, reason=reason, waitForSharing=wait_for_sharing)
        timeout = ANSWER_S + SHOT_S + wait_for_sharing
        return self._call("PATCH", f"{self._current}/screenshot", body, timeout=timeout)

    def log(self, message: str, *, level: Level = "info", source: str | None = None) -> None:
        """Writes to the log of the workspace."""
        self._call("POST", f"{self._current}/log", given(message=message, level=level, source=source))

    def read_log(self, *, after: int | None = None, level: Level | None = None) -> list[LogEntry]:
        """The newest lines, oldest first."""
        return self._call("GET", f"{self._current}/log{query_of(after=after, level=level)}")["entries"]

    def _act(self, path: str, panel_id: str, action: str, **fields: object) -> None:
        self._call("PATCH", path, {"panelId": panel_id, "action": action, **fields})


def _panel(
    panel_type: str, name: str | None, state: dict[str, Any] | None, reuse: bool | None, background: bool | None
) -> dict[str, object]:
    return given(panelType=panel_type, displayName=name, initialState=state, reuse=reuse, background=background)
