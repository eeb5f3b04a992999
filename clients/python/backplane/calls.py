"""One request and its answer; every failure is a BackplaneError."""

import base64
import contextlib
import hashlib
import http.client
import ipaddress
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from email.message import Message
from typing import Any, BinaryIO, NamedTuple, Protocol, TypedDict
from urllib.parse import urlencode, urlsplit

ANSWER_S = 15.0
MAX_ANSWER_BYTES = 64 * 1024 * 1024
PIECE_BYTES = 1024 * 1024
MAX_TEXT_LENGTH = 500
VERSION = "0.2.0"
AGENT = f"backplane-python/{VERSION} ({sys.platform}; python {sys.version_info.major})"

# What a connection fails with: refused, lost, silent, or not HTTP.
LOST = (OSError, http.client.HTTPException, ValueError)


class Fault(TypedDict):
    """What is wrong with one field of a request."""

    pointer: str
    message: str


class BackplaneError(Exception):
    """The message says what happened and what to do next. `code` is for programs, and does not change."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        faults: Iterable[Fault] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.faults = list(faults)
        self.retry_after = retry_after


class Call(Protocol):
    def __call__(self, method: str, path: str, body: object = None, *, timeout: float = ANSWER_S) -> Any: ...


class Follow(Protocol):
    def __call__(self, path: str) -> Iterator[dict[str, Any]]: ...


class Download(Protocol):
    def __call__(self, path: str, file: str | os.PathLike[str]) -> None: ...


class Answer(NamedTuple):
    status: int
    headers: Message
    body: bytes


def ask(
    url: str,
    method: str = "GET",
    *,
    headers: Mapping[str, str] = {},
    body: bytes | BinaryIO | None = None,
    timeout: float = ANSWER_S,
) -> Answer:
    """Raises one of LOST. Redirects are not followed, because secrets would go with them."""
    connection, target = connection_to(url, timeout)
    with contextlib.closing(connection):
        # A server that refuses early does not read the whole body. Its answer says why.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request(method, target, body, {"User-Agent": AGENT, **headers})
        response = connection.getresponse()
        answer = response.read(MAX_ANSWER_BYTES + 1)
        if len(answer) > MAX_ANSWER_BYTES:
            raise ValueError(f"the answer is larger than {MAX_ANSWER_BYTES} bytes")
        return Answer(response.status, response.headers, answer)


def save(url: str, file: str | os.PathLike[str], headers: Mapping[str, str], timeout: float) -> None:
    """Writes an answer to a file, in pieces: it may be larger than memory. Raises one of LOST, or a refusal."""
    connection, target = connection_to(url, timeout)
    with contextlib.closing(connection):
        connection.request("GET", target, headers={"User-Agent": AGENT, **headers})
        response = connection.getresponse()
        if response.status != 200:
            raise refusal(url, Answer(response.status, response.headers, response.read(MAX_ANSWER_BYTES)))
        with open(file, "wb") as out:
            while piece := response.read(PIECE_BYTES):
                out.write(piece)


def events_of(url: str, headers: Mapping[str, str], timeout: float) -> Iterator[tuple[str, str]]:
    """The name and data of each event of a stream. Raises one of LOST, also when it is silent for `timeout`, or a refusal."""
    connection, target = connection_to(url, timeout)
    with contextlib.closing(connection):
        connection.request("GET", target, headers={"User-Agent": AGENT, "Accept": "text/event-stream", **headers})
        response = connection.getresponse()
        if response.status != 200:
            raise refusal(url, Answer(response.status, response.headers, response.read(MAX_ANSWER_BYTES)))
        name, data, size = "message", [], 0
        while line := response.readline(MAX_ANSWER_BYTES):
            field, _, value = line.decode(errors="replace").rstrip("\r\n").partition(":")
            value, size = value.removeprefix(" "), size + len(line)
            if size > MAX_ANSWER_BYTES:
                raise ValueError(f"an event is larger than {MAX_ANSWER_BYTES} bytes")
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
            elif line.strip() == b"":
                if data:
                    yield name, "\n".join(data)
                name, data, size = "message", [], 0


def connection_to(url: str, timeout: float) -> tuple[http.client.HTTPConnection, str]:
    """Not connected yet; and what to ask for there."""
    parts = urlsplit(url)
    is_encrypted = parts.scheme in ("https", "wss")
    connect = http.client.HTTPSConnection if is_encrypted else http.client.HTTPConnection
    # Without a port, http.client would look for one in an IPv6 address.
    port = parts.port or connect.default_port
    return connect(parts.hostname or "", port, timeout=timeout), f"{parts.path or '/'}{parts.query and '?'}{parts.query}"


def refusal(url: str, answer: Answer) -> BackplaneError:
    """An answer that is not OK: Backplane's problem, or what something in between says."""
    problem = object_in(answer.body)
    status, code = answer.status, problem.get("code")
    retry_after = answer.headers.get("retry-after", "")
    wait = float(retry_after) if retry_after.isdecimal() else None
    if not isinstance(code, str):
        if status == 429 or status >= 500:
            text = f"{url} is busy (HTTP {status}). Try again in a moment."
            return BackplaneError("temporary", text, status=status, retry_after=wait)
        text = f"{url} answers HTTP {status}, and not as Backplane does. Check that it is the address of a Backplane."
        return BackplaneError("unexpected-answer", text, status=status)
    text = plain(problem.get("detail") or problem.get("title") or f"Refused with HTTP {status}").rstrip(".") + "."
    if code == "not-signed-in":
        text = "The session or API key is not valid. Sign in again."
    errors = problem.get("errors")
    faults = [
        Fault(pointer=plain(error.get("pointer") or ""), message=plain(error.get("message") or ""))
        for error in (errors if isinstance(errors, list) else [])
        if isinstance(error, dict)
    ]
    return BackplaneError(code, text, status=status, faults=faults, retry_after=wait)


def object_in(body: bytes) -> dict[str, Any]:
    """The JSON object in it; an empty one if it has none."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def plain(text: object, secrets: Iterable[str] = ()) -> str:
    """Text from outside on one line, not too long, and without secrets that a server repeats."""
    shown = str(text)
    for secret in secrets:
        shown = shown.replace(secret, "…")
    line = " ".join("".join(each if each.isprintable() else " " for each in shown).split())
    return line if len(line) <= MAX_TEXT_LENGTH else f"{line[:MAX_TEXT_LENGTH]}…"


def address(option: str, url: str, *, allow_http: bool = False) -> str:
    """The address without a slash at its end, if secrets may be sent to it: encrypted, or on this machine."""
    refuse = f"{option} is not an address that can be used: "
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise BackplaneError("invalid-option", f"{refuse}{error}.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise BackplaneError("invalid-option", f"{refuse}it begins with http:// or https://.")
    if parts.username is not None or parts.query or parts.fragment:
        raise BackplaneError("invalid-option", f"{refuse}leave out the name, the password, ? and #.")
    if parts.scheme == "http" and not allow_http and not is_loopback(host):
        text = f"{option} is not encrypted. Use https://, or allow_http=True if you trust the network."
        raise BackplaneError("invalid-option", text)
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def challenge_of(secret: str) -> str:
    """Base64url of the SHA-256: RFC 7636, S256."""
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).rstrip(b"=").decode()


def given(**fields: object) -> dict[str, object]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def query_of(**fields: object) -> str:
    """The fields that are not None, as the end of an address."""
    query = urlencode(given(**fields))
    return f"?{query}" if query else ""
