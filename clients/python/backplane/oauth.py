"""Connecting a user to an OAuth 2.0 provider through the gateway. Secrets and tokens never pass through it."""

import base64
import contextlib
import json
import secrets
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, quote_plus, urlencode, urlsplit, urlunsplit

from .calls import LOST, BackplaneError, address, ask, challenge_of, object_in, plain
from .websocket import WebSocket

# A registration at the gateway lives for 10 minutes.
FLOW_S = 600.0
CONNECT_S = 5.0
ANSWER_S = 5.0
FIRST_RETRY_S = 0.1
MAX_RETRY_S = 2.0
TOKEN_S = 20.0
# Worth another try in a moment.
TRANSIENT = ("not-ready", "bus-unavailable", "too-fast", "too-many-requests")
DEAD_GRANT = ("invalid_grant", "bad_verification_code", "bad_refresh_token")


@dataclass(frozen=True)
class OAuthCode:
    """What `exchange_code` needs. `query` has all parameters that the provider sent."""

    code: str = field(repr=False)
    query: dict[str, str] = field(repr=False)
    redirect_uri: str
    code_verifier: str = field(repr=False)


@dataclass(frozen=True)
class OAuthTokens:
    """`expires_at`: seconds since 1970; None: until it is revoked."""

    access_token: str = field(repr=False)
    refresh_token: str | None = field(repr=False)
    expires_at: float | None
    scope: str | None
    id_token: str | None = field(repr=False)


class OAuthFlow:
    """Waits at the gateway for one code. Once it exists, the user can be sent to `auth_redirect_url`.

    Register `redirect_uri` at the provider. Call `wait_for_code` right after the user was sent there: only then are
    the gateway's pings answered and a lost connection noticed.
    """

    def __init__(
        self,
        provider: str,
        auth_url: str,
        client_id: str,
        *,
        scopes: str = "",
        extra_params: Mapping[str, str] = {},
        gateway_url: str = "http://localhost:8795",
        issuer: str | None = None,
        timeout: float = FLOW_S,
        connect_timeout: float = CONNECT_S,
    ) -> None:
        self._gateway_url = address("gateway_url", gateway_url, allow_http=True)
        self.redirect_uri = f"{self._gateway_url}/callback"
        self._issuer = issuer
        self._state = str(uuid.uuid4())
        self._verifier = secrets.token_urlsafe(32)
        # Proves after a lost connection that the registration is ours.
        self._secret = secrets.token_urlsafe(32)
        self._registration = {
            "type": "register",
            "state": self._state,
            "provider": provider,
            "challenge": challenge_of(self._secret),
            "ack": True,
        }
        parts = urlsplit(auth_url)
        query = {
            **dict(parse_qsl(parts.query, keep_blank_values=True)),
            **extra_params,
            **({"scope": scopes} if scopes else {}),
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": self.redirect_uri,
            "state": self._state,
            "code_challenge": challenge_of(self._verifier),
            "code_challenge_method": "S256",
        }
        self.auth_redirect_url = urlunsplit(parts._replace(query=urlencode(query)))
        self._deadline = time.monotonic() + timeout
        self._socket: WebSocket | None = None
        self._connect(time.monotonic() + connect_timeout)

    def wait_for_code(self) -> OAuthCode:
        """Raises `declined`, `provider-error`, `issuer-mismatch`, `expired`, `timed-out` or `gateway-unreachable`."""
        with self:
            while True:
                try:
                    message = self._next(self._deadline)
                except LOST:
                    if time.monotonic() >= self._deadline:
                        text = "Nobody finished at the provider in time. Start again."
                        raise BackplaneError("timed-out", text) from None
                    self._connect(self._deadline)
                    continue
                if message.get("type") == "callback" or message.get("code") == "provider-error":
                    # The page in the user's browser waits for this before it reports success.
                    with contextlib.suppress(*LOST):
                        self._send({"type": "ack", "state": self._state})
                    return self._code_in(message)
                if message.get("type") == "error":
                    raise gateway_refusal(message)

    def close(self) -> None:
        """Stops waiting, which also ends the registration."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self, deadline: float) -> None:
        """Registers, and tries again until the deadline."""
        url = f"{self._gateway_url.replace('http', 'ws', 1)}/ws"
        pause = FIRST_RETRY_S
        while True:
            self.close()
            try:
                self._socket = WebSocket(url, ANSWER_S)
                self._send(self._registration)
                # From now on the gateway may know the state.
                self._registration["secret"] = self._secret
                message = self._next(time.monotonic() + ANSWER_S)
                if message.get("type") == "registered":
                    return
                if message.get("code") not in TRANSIENT:
                    self.close()
                    raise gateway_refusal(message)
            except LOST:
                pass
            if time.monotonic() + pause > deadline:
                self.close()
                text = f"The gateway does not answer. Check that {self._gateway_url}/health opens, then start again."
                raise BackplaneError("gateway-unreachable", text)
            time.sleep(pause)
            pause = min(2 * pause, MAX_RETRY_S)

    def _next(self, deadline: float) -> dict[str, Any]:
        """The next message about our state; errors about a message that could not be read have none."""
        while True:
            if self._socket is None:
                raise ConnectionError("closed")
            message = json.loads(self._socket.receive(deadline))
            if isinstance(message, dict) and message.get("state") in (self._state, None):
                return message

    def _send(self, message: Mapping[str, object]) -> None:
        if self._socket is None:
            raise ConnectionError("closed")
        self._socket.send(json.dumps(message))

    def _code_in(self, message: Mapping[str, Any]) -> OAuthCode:
        query = {str(name): str(value) for name, value in (message.get("query") or {}).items()}
        # RFC 9207: also before an error is believed.
        if self._issuer is not None and query.get("iss", self._issuer) != self._issuer:
            text = f"The answer came from another issuer, so it was not used. Check that issuer is {self._issuer}."
            raise BackplaneError("issuer-mismatch", text)
        if message["type"] == "error":
            raise provider_refusal(message.get("error"), message.get("error_description"))
        return OAuthCode(str(message["code"]), query, self.redirect_uri, self._verifier)


def exchange_code(
    token_url: str,
    client_id: str,
    code: OAuthCode,
    client_secret: str | None = None,
    *,
    client_auth: Literal["post", "basic"] = "post",
) -> OAuthTokens:
    """Exchanges a code for tokens, directly at the provider. `client_auth`: the secret in the form, or in a header."""
    form = {
        "grant_type": "authorization_code",
        "code": code.code,
        "redirect_uri": code.redirect_uri,
        "code_verifier": code.code_verifier,
    }
    return _tokens(token_url, client_id, client_secret, client_auth, form)


def refresh_tokens(
    token_url: str,
    client_id: str,
    refresh_token: str,
    client_secret: str | None = None,
    *,
    client_auth: Literal["post", "basic"] = "post",
) -> OAuthTokens:
    """New tokens for a refresh token. Where the answer has no new refresh token, go on with this one."""
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    return _tokens(token_url, client_id, client_secret, client_auth, form)


def _tokens(
    token_url: str, client_id: str, client_secret: str | None, client_auth: str, form: dict[str, str]
) -> OAuthTokens:
    # The secrets go there. Some providers have a query in it.
    address("token_url", token_url.split("?")[0])
    headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
    hidden = [form[name] for name in ("code", "code_verifier", "refresh_token") if name in form]
    hidden += [client_secret] if client_secret else []
    if client_auth == "basic":
        # RFC 6749, section 2.3.1.
        both = base64.b64encode(f"{quote_plus(client_id)}:{quote_plus(client_secret or '')}".encode()).decode()
        headers["Authorization"] = f"Basic {both}"
    else:
        form = {**form, "client_id": client_id, **({"client_secret": client_secret} if client_secret else {})}
    now = time.time()
    try:
        answer = ask(token_url, "POST", headers=headers, body=urlencode(form).encode(), timeout=TOKEN_S)
    except LOST:
        raise BackplaneError("temporary", "The provider's token URL does not answer. Try again in a moment.") from None
    body = object_in(answer.body)
    if answer.status == 429 or answer.status >= 500:
        text = f"The provider is busy (HTTP {answer.status}). Try again in a moment."
        raise BackplaneError("temporary", text, status=answer.status)
    if answer.status != 200 or "error" in body:
        # A provider in testing mode refuses people with a bare 403.
        error = body.get("error") or ("access_denied" if answer.status == 403 else f"HTTP {answer.status}")
        raise provider_refusal(error, body.get("error_description"), hidden)
    if not isinstance(body.get("access_token"), str):
        text = "The answer has no tokens. Check that token_url is the provider's token URL."
        raise BackplaneError("malformed-answer", text)
    expires_in = body.get("expires_in")
    return OAuthTokens(
        access_token=body["access_token"],
        refresh_token=body.get("refresh_token"),
        expires_at=None if expires_in is None else now + float(expires_in),
        scope=body.get("scope"),
        id_token=body.get("id_token"),
    )


def gateway_refusal(message: Mapping[str, Any]) -> BackplaneError:
    if message.get("code") == "state-expired":
        text = "The gateway is no longer waiting: a sign-in must finish within 10 minutes. Start again."
        return BackplaneError("expired", text)
    reason = plain(message.get("error") or "it does not say why").rstrip(".")
    return BackplaneError("registration-refused", f"The gateway refused to wait for the code: {reason}. Start again.")


def provider_refusal(error: object, description: object, hidden: list[str] = []) -> BackplaneError:
    shown = plain(error, hidden)
    why = f": {plain(description, hidden).rstrip('.')}" if description else ""
    if error == "access_denied":
        text = "If the app is in testing at the provider, its owner must add your account to the test users."
        return BackplaneError("declined", f"The provider declined access{why}. {text} Then start again.")
    if error in DEAD_GRANT:
        text = f"The provider no longer accepts this code or refresh token{why}. Connect again."
        return BackplaneError("invalid-grant", text)
    text = f"The provider refused with {shown}{why}. Check how the app is registered there, then start again."
    return BackplaneError("provider-error", text)
