"""Signing in, publishing, and every other call."""

import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple, TypedDict
from urllib.parse import quote, urlencode

from .calls import ANSWER_S, LOST, BackplaneError, address, ask, challenge_of, events_of, given, object_in, refusal, save
from .workspace import Workspace

POLL_S = 2.0
# A link lives for 15 minutes; then the server says that it has expired.
SIGN_IN_S = 16 * 60.0
UPLOAD_S = 15 * 60.0
# An event stream that is alive says something more often than this.
SILENCE_S = 60.0


class SignInLink(NamedTuple):
    """Show both: the page behind the link shows the same code. The link is a secret while it is valid."""

    url: str
    confirmation_code: str


class Session(TypedDict):
    id: str
    kind: str
    name: str
    expires_at: str | None


class User(TypedDict):
    id: str
    name: str
    display_name: str
    email: str
    session: Session


class PublishedVersion(TypedDict):
    identifier: str
    version: str
    status: str
    owner: str
    private: bool
    warnings: list[dict[str, Any]]


class Backplane:
    """One Backplane, with the session token or API key to call it with. All methods raise BackplaneError."""

    def __init__(self, base_url: str, token: str | None = None, *, allow_http: bool = False) -> None:
        self.base_url = address("base_url", base_url, allow_http=allow_http)
        self.token = token

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: Mapping[str, str] = {},
        timeout: float = ANSWER_S,
    ) -> Any:
        """Any call of the API: `body` is sent as JSON, the JSON of the answer is returned."""
        return self._send(method, path, None if body is None else json.dumps(body).encode(), headers, timeout)

    def _send(
        self, method: str, path: str, body: bytes | BinaryIO | None, headers: Mapping[str, str], timeout: float
    ) -> Any:
        sent = {"Accept": "application/json", **self._authorization()}
        if body is not None:
            sent["Content-Type"] = "application/json"
        try:
            answer = ask(f"{self.base_url}{path}", method, headers={**sent, **headers}, body=body, timeout=timeout)
        except LOST as error:
            raise self._unreachable(error) from error
        if not 200 <= answer.status < 300:
            raise refusal(self.base_url, answer)
        try:
            return json.loads(answer.body) if answer.body else None
        except ValueError:
            text = f"{self.base_url} does not answer with JSON. Check that it is the address of a Backplane."
            raise BackplaneError("unexpected-answer", text, status=answer.status) from None

    def _follow(self, path: str) -> Iterator[dict[str, Any]]:
        """The events of a stream: their JSON, with the name of the event as `type`."""
        try:
            for name, data in events_of(f"{self.base_url}{path}", self._authorization(), SILENCE_S):
                yield {"type": name, **object_in(data.encode())}
        except LOST as error:
            raise self._unreachable(error) from error

    def _download(self, path: str, file: str | os.PathLike[str]) -> None:
        try:
            save(f"{self.base_url}{path}", file, self._authorization(), SILENCE_S)
        except LOST as error:
            raise self._unreachable(error) from error

    def _authorization(self) -> dict[str, str]:
        if self.token is None:
            return {}
        if not (self.token.isascii() and self.token.isprintable()):
            raise BackplaneError("invalid-option", "token has line breaks or other characters that no token has.")
        return {"Authorization": f"Bearer {self.token}"}

    def _unreachable(self, error: BaseException) -> BackplaneError:
        text = f"{self.base_url} does not answer ({error}). Check that Backplane runs there."
        return BackplaneError("unreachable", text)

    def sign_in(
        self, show: Callable[[SignInLink], object], *, app_name: str | None = None, max_age: int | None = None
    ) -> str:
        """Passes a link to `show`, waits until a person has approved there, and uses and returns the session token.

        `max_age`: how long the session lives, in seconds. Raises `intent-denied` or `intent-expired`.
        """
        verifier = secrets.token_urlsafe(32)
        wanted = given(
            app_name=app_name,
            max_age=max_age,
            code_challenge=challenge_of(verifier),
            code_challenge_method="S256",
        )
        intent = self.call("POST", "/auth/intents", wanted)
        show(SignInLink(intent["auth_url"], intent["confirmation_code"]))
        deadline = time.monotonic() + SIGN_IN_S
        path = f"/auth/intents/{quote(intent['token'], safe='')}/status"
        while True:
            pause = POLL_S
            try:
                status = self.call("GET", path, headers={"X-Code-Verifier": verifier})
                if status["state"] == "authenticated":
                    self.token = str(status["session_token"])
                    return self.token
            except BackplaneError as error:
                # A restart, or a network that is away for a moment: the person may still approve.
                is_passing = error.code == "unreachable" or error.status == 429 or (error.status or 0) >= 500
                if not is_passing or time.monotonic() > deadline:
                    raise
                pause = max(POLL_S, error.retry_after or 0)
            time.sleep(pause)

    def user(self) -> User:
        """Who is signed in, and with which session."""
        return self.call("GET", "/user")

    def sign_out(self) -> None:
        """Ends the session."""
        self.call("DELETE", "/auth/logout")
        self.token = None

    def workspace(self, owner: str, repo: str) -> Workspace:
        """The calls that drive one workspace. The first call creates it if it does not exist."""
        return Workspace(self.call, self._follow, self._download, self.base_url, owner, repo)

    def publish(self, archive: str | os.PathLike[str], *, owner: str | None = None) -> PublishedVersion:
        """Publishes the version in this zip file. `owner`: an organisation, for a new package."""
        query = urlencode(given(owner=owner))
        with open(archive, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            headers = {"Content-Type": "application/zip", "Content-Length": str(size)}
            path = f"/registry/packages?{query}" if query else "/registry/packages"
            return self._send("POST", path, file, headers, UPLOAD_S)
