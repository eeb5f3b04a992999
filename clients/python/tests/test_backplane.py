"""Against the Backplane at BASE_URL and GATEWAY_URL, whose owner has the password OWNER_PASSWORD."""

import base64
import hashlib
import json
import os
import socket
import tempfile
import threading
import time
import unittest
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import parse_qs, urlencode, urlsplit

from backplane import Backplane, BackplaneError, OAuthFlow, SignInLink
from backplane.calls import LOST, Answer, ask, plain
from backplane.websocket import ACCEPT_GUID, MAX_MESSAGE_BYTES, WebSocket

BASE_URL = os.environ["BASE_URL"]
GATEWAY_URL = os.environ["GATEWAY_URL"]
HANG_S = 60.0


def post_as_browser(path: str, body: object, method: str = "POST", cookie: str = "") -> Answer:
    headers = {"Content-Type": "application/json", "Origin": BASE_URL, "Cookie": cookie}
    return ask(f"{BASE_URL}{path}", method, headers=headers, body=json.dumps(body).encode(), timeout=HANG_S)


class Person:
    """The owner with a browser, over plain HTTP."""

    def __init__(self) -> None:
        answer = post_as_browser("/auth/login", {"name": "owner", "password": os.environ["OWNER_PASSWORD"]})
        assert answer.status == 200, answer.body
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]

    def decide(self, link: SignInLink, decision: str) -> None:
        token = parse_qs(urlsplit(link.url).query)["token"][0]
        answer = post_as_browser(f"/auth/intents/{token}", {"decision": decision}, "PATCH", self.cookie)
        assert answer.status == 200, answer.body


person = Person()
signed_in = Backplane(BASE_URL)
signed_in.sign_in(lambda link: person.decide(link, "approve"), app_name="tests of Python")


class TestCase(unittest.TestCase):
    def refused(self, code: str, call, *args: object, **options: object) -> BackplaneError:
        with self.assertRaises(BackplaneError) as caught:
            call(*args, **options)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        self.assertRegex(str(caught.exception), r"\.$")
        return caught.exception


class SigningIn(TestCase):
    def test_a_person_approves_and_the_session_can_be_used_until_it_ends(self) -> None:
        backplane = Backplane(f"{BASE_URL}/")
        shown: list[SignInLink] = []

        def show(link: SignInLink) -> None:
            shown.append(link)
            person.decide(link, "approve")

        token = backplane.sign_in(show, app_name="Bench logger", max_age=3600)
        self.assertRegex(shown[0].confirmation_code, r"^[B-Z]{4}-[B-Z]{4}$")
        user = backplane.user()
        self.assertEqual((user["name"], user["session"]["kind"]), ("owner", "Application"))
        self.assertEqual(user["session"]["name"], "Bench logger")
        backplane.sign_out()
        self.assertEqual(self.refused("not-signed-in", Backplane(BASE_URL, token).user).status, 401)

    def test_a_denial_is_an_error(self) -> None:
        backplane = Backplane(BASE_URL)
        self.refused("intent-denied", backplane.sign_in, lambda link: person.decide(link, "deny"))
        self.assertIsNone(backplane.token)

    def test_a_wrong_field_is_named(self) -> None:
        error = self.refused("invalid-input", Backplane(BASE_URL).sign_in, lambda link: None, max_age=1)
        self.assertEqual([fault["pointer"] for fault in error.faults], ["/max_age"])


class Addresses(TestCase):
    def test_tokens_go_to_this_machine_or_are_encrypted(self) -> None:
        wrong = ["http://example.org", "http://127.0.0.1.example.org", "ftp://localhost", "localhost:8790", "http://"]
        for url in [*wrong, "http://localhost:x", "https://me@example.org", "https://example.org?a"]:
            with self.subTest(url):
                self.refused("invalid-option", Backplane, url)
        for url in ("https://example.org", "http://localhost:1", "http://127.1.2.3", "http://[::1]:8790"):
            Backplane(url)
        Backplane("http://example.org", allow_http=True)

    def test_a_token_that_cannot_be_one_is_not_shown(self) -> None:
        error = self.refused("invalid-option", Backplane(BASE_URL, "bpk_secret\n").user)
        self.assertNotIn("secret", str(error))

    def test_nobody_answers(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self.refused("unreachable", Backplane(f"http://127.0.0.1:{port}").user)

    def test_text_from_outside_is_shown_on_one_line_without_secrets(self) -> None:
        self.assertEqual(plain("a\n\x1b[2Jb  s3cret", ["s3cret"]), "a [2Jb …")
        self.assertEqual(len(plain("x" * 10_000)), 501)


class Workspaces(TestCase):
    def test_panels_are_opened_driven_and_closed(self) -> None:
        workspace = signed_in.workspace("owner", "python-tests")
        web = workspace.open_tab("webview", name="docs", state={"url": "https://example.org/"})
        box = workspace.split(web["panelId"], "horizontal", "sandbox", name="bench", ratio=0.4)
        workspace.navigate(web["panelId"], "https://example.com/")
        tabs = {tab["name"]: tab for tab in workspace.tabs()}
        self.assertEqual(sorted(tabs), ["bench", "docs"])
        self.assertEqual(tabs["docs"]["panelState"]["url"], "https://example.com/")
        self.assertFalse(workspace.probe()["browser_connected"])
        queued = workspace.eval(box["newPanelId"], "6 * 7")
        self.assertEqual(queued["status"], "queued")
        self.assertEqual(workspace.eval_result(queued["id"])["status"], "queued")
        workspace.reset(box["newPanelId"])
        self.assertEqual(self.refused("no-browser-session", workspace.refresh, web["panelId"]).status, 409)
        self.refused("wrong-panel-type", workspace.eval, web["panelId"], "1")
        workspace.log("24 V rail at 22.9 V", level="warn", source="power")
        self.assertIn("24 V rail at 22.9 V", [line["message"] for line in workspace.read_log(level="warn")])
        workspace.show_tab(web["tabId"])
        workspace.close_tab(web["tabId"])
        self.assertEqual([tab["name"] for tab in workspace.tabs()], ["bench"])

    def test_cameras_are_added_changed_and_removed(self) -> None:
        streams = signed_in.workspace("owner", "python-tests").devices.streams
        door = streams.add("door", "rtsp", address="rtsp://127.0.0.1:1024/", password="hunter2", user="admin")
        self.assertEqual((door["state"], door["secrets"]), ("idle", ["password"]))
        self.assertTrue(streams.change("door", record=True)["settings"]["record"])
        self.assertEqual(streams.try_out("door")["state"], "refused")
        first = streams.add("studio", "whip")["push"]
        self.assertRegex(first["key"], r"^bpc_")
        self.assertNotEqual(streams.new_key("studio")["key"], first["key"])
        self.assertEqual([stream["name"] for stream in streams.list()], ["door", "studio"])
        for name in ("door", "studio"):
            streams.remove(name)
        self.assertEqual(self.refused("stream-unknown", streams.remove, "door").status, 404)

    def test_the_workspace_of_somebody_else_is_refused(self) -> None:
        with self.assertRaises(BackplaneError) as caught:
            signed_in.workspace("nobody", "main").tabs()
        self.assertIn(caught.exception.status, (403, 404))


class Publishing(TestCase):
    METADATA = {
        "name": "Sample",
        "description": "A package to try things with",
        "description_full": "It is small and good.",
        "identifier": "org.example.python-client",
        "type": "plugin",
        "author": {"name": "Ada", "contact": {"web": "https://example.org"}},
        "license": "MIT",
        "resources": {"homepage": "https://example.org/sample"},
        "versions": [{"version": "1.0.0", "status": "stable", "tool_version": "9.0"}],
    }

    def archive(self, metadata: dict[str, object]) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "package.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("metadata.json", json.dumps(metadata))
            archive.writestr("plugins/__init__.py", "print('Hello')\n")
        return path

    def test_a_version_is_published_once(self) -> None:
        archive = self.archive(self.METADATA)
        published = signed_in.publish(archive)
        self.assertEqual((published["identifier"], published["version"]), ("org.example.python-client", "1.0.0"))
        self.assertEqual(self.refused("version-exists", signed_in.publish, archive).status, 409)

    def test_wrong_metadata_is_refused_field_by_field(self) -> None:
        error = self.refused("metadata-refused", signed_in.publish, self.archive({**self.METADATA, "type": "A toy"}))
        self.assertTrue(any("type" in fault["pointer"] for fault in error.faults), error.faults)


class Connecting(TestCase):
    def setUp(self) -> None:
        self.pool = ThreadPoolExecutor(1)
        self.addCleanup(self.pool.shutdown)

    def start(self, **options: object) -> OAuthFlow:
        url = "https://provider.example/authorize?tenant=a"
        return OAuthFlow("example", url, "app", gateway_url=GATEWAY_URL, connect_timeout=HANG_S, **options)

    def come_back(self, flow: OAuthFlow, **answer: str) -> "Future[Answer]":
        """The user's browser, as the page does it: again while the application is away."""
        state = parse_qs(urlsplit(flow.auth_redirect_url).query)["state"][0]
        url = f"{GATEWAY_URL}/callback?{urlencode({**answer, 'state': state})}"

        def visit() -> Answer:
            deadline = time.monotonic() + HANG_S
            while True:
                got = ask(url, headers={"Accept": "application/json"}, timeout=HANG_S)
                if got.status != 404 or time.monotonic() > deadline:
                    return got
                time.sleep(0.05)

        return self.pool.submit(visit)

    def test_the_code_arrives(self) -> None:
        with self.start(scopes="files.read", extra_params={"prompt": "consent"}) as flow:
            asked = {name: values[0] for name, values in parse_qs(urlsplit(flow.auth_redirect_url).query).items()}
            self.assertEqual(asked["redirect_uri"], f"{GATEWAY_URL}/callback")
            self.assertEqual((asked["tenant"], asked["prompt"], asked["scope"]), ("a", "consent", "files.read"))
            back = self.come_back(flow, code="c-1", iss="https://provider.example")
            code = flow.wait_for_code()
        self.assertEqual(back.result().status, 200)
        self.assertEqual((code.code, code.query["iss"]), ("c-1", "https://provider.example"))
        self.assertNotIn("c-1", repr(code))
        digest = hashlib.sha256(code.code_verifier.encode()).digest()
        self.assertEqual(asked["code_challenge"], base64.urlsafe_b64encode(digest).rstrip(b"=").decode())

    def test_after_a_lost_connection_the_code_still_arrives(self) -> None:
        flow = self.start()
        assert flow._socket is not None
        flow._socket._socket.shutdown(socket.SHUT_RDWR)
        back = self.come_back(flow, code="late")
        self.assertEqual(flow.wait_for_code().code, "late")
        self.assertEqual(back.result().status, 200)

    def test_a_refusal_of_the_provider_is_explained(self) -> None:
        flow = self.start()
        back = self.come_back(flow, error="access_denied", error_description="Not you")
        error = self.refused("declined", flow.wait_for_code)
        self.assertRegex(str(error), "Not you.*test users")
        self.assertEqual(back.result().status, 200)

    def test_an_answer_of_another_issuer_is_not_used(self) -> None:
        flow = self.start(issuer="https://provider.example")
        self.come_back(flow, code="c", iss="https://attacker.example")
        self.refused("issuer-mismatch", flow.wait_for_code)

    def test_nobody_comes_back(self) -> None:
        self.refused("timed-out", self.start(timeout=0.2).wait_for_code)

    def test_without_a_gateway_it_says_so(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        options = {"gateway_url": f"http://127.0.0.1:{port}", "connect_timeout": 0.3}
        self.refused("gateway-unreachable", OAuthFlow, "example", "https://provider.example", "app", **options)


class Frames(unittest.TestCase):
    """What a WebSocket server may and may not send: RFC 6455, section 5."""

    def connect(self, frames: bytes, guid: str = ACCEPT_GUID) -> tuple[WebSocket, "Future[bytes]"]:
        server = socket.create_server(("127.0.0.1", 0))
        got: Future[bytes] = Future()

        def answer() -> None:
            peer, _ = server.accept()
            with server, peer, peer.makefile("rb") as lines:
                head = b"".join(iter(lines.readline, b"\r\n")).decode()
                key = next(line.split(": ")[1] for line in head.split("\r\n") if line.startswith("Sec-WebSocket-Key"))
                accept = base64.b64encode(hashlib.sha1((key + guid).encode()).digest()).decode()
                upgrade = f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {accept}"
                peer.sendall(f"HTTP/1.1 101 OK\r\n{upgrade}\r\n\r\n".encode() + frames)
                peer.shutdown(socket.SHUT_WR)
                try:
                    got.set_result(lines.read())
                except ConnectionResetError:
                    got.set_result(b"")

        threading.Thread(target=answer, daemon=True).start()
        return WebSocket(f"ws://127.0.0.1:{server.getsockname()[1]}/ws", HANG_S), got

    def test_a_message_in_pieces_with_a_ping_between(self) -> None:
        long = b"x" * 300
        frames = b"\x01\x01a" + b"\x89\x02hi" + b"\x80\x01b" + b"\x81\x7e" + len(long).to_bytes(2, "big") + long
        client, got = self.connect(frames)
        deadline = time.monotonic() + HANG_S
        self.assertEqual(client.receive(deadline), "ab")
        self.assertEqual(client.receive(deadline), long.decode())
        with self.assertRaises(LOST):
            client.receive(deadline)
        client.send("y" * 200)
        client.close()
        sent = got.result(HANG_S)
        self.assertEqual(sent[:2], b"\x8a\x82")
        self.assertEqual(bytes(byte ^ sent[2 + index % 4] for index, byte in enumerate(sent[6:8])), b"hi")
        self.assertEqual(sent[8:12], b"\x81\xfe\x00\xc8")

    def test_what_is_not_allowed_ends_the_connection(self) -> None:
        for name, frames in {
            "masked": b"\x81\x81\x00\x00\x00\x00a",
            "reserved bit": b"\xc1\x01a",
            "binary": b"\x82\x01a",
            "a continuation of nothing": b"\x80\x01a",
            "a message within a message": b"\x01\x01a\x81\x01b",
            "a ping in pieces": b"\x09\x01a",
            "a long ping": b"\x89\x7e\x00\x7e" + b"a" * 126,
            "too large": b"\x81\x7f" + (MAX_MESSAGE_BYTES + 1).to_bytes(8, "big"),
            "too large in pieces": b"\x01\x01a\x80\x7f" + MAX_MESSAGE_BYTES.to_bytes(8, "big"),
            "not UTF-8": b"\x81\x01\xff",
            "closed": b"\x88\x02\x03\xe8",
            "cut off": b"\x81\x05ab",
        }.items():
            with self.subTest(name):
                client, got = self.connect(frames)
                with self.assertRaises(LOST):
                    client.receive(time.monotonic() + HANG_S)
                client.close()
                got.result(HANG_S)

    def test_a_server_that_does_not_prove_the_handshake_is_refused(self) -> None:
        with self.assertRaises(ConnectionError):
            self.connect(b"\x81\x01a", guid="another")


if __name__ == "__main__":
    unittest.main()
