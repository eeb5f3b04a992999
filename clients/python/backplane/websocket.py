"""The client side of RFC 6455, as far as the gateway needs it: text messages, pings, and a close."""

import base64
import contextlib
import hashlib
import secrets
import time

from .calls import AGENT, connection_to

TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
FINAL, RESERVED, MASKED = 0x80, 0x70, 0x80
LARGEST_CONTROL = 125
# The gateway's largest message is a callback of 8 KiB, as JSON.
MAX_MESSAGE_BYTES = 64 * 1024
# The gateway pings every 25 s: a connection that is silent for longer is lost.
SILENCE_S = 40.0
# Section 1.3.
ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class WebSocket:
    """Its methods raise one of LOST; then the connection is of no use any more."""

    def __init__(self, url: str, timeout: float) -> None:
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        self._connection, target = connection_to(url, timeout)
        try:
            headers = {
                "User-Agent": AGENT,
                "Connection": "Upgrade",
                "Upgrade": "websocket",
                "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": key,
            }
            self._connection.request("GET", target, headers=headers)
            response = self._connection.getresponse()
            accept = base64.b64encode(hashlib.sha1((key + ACCEPT_GUID).encode()).digest()).decode()
            if response.status != 101 or response.getheader("Sec-WebSocket-Accept") != accept:
                raise ConnectionError(f"HTTP {response.status} in place of a WebSocket")
        except BaseException:
            self._connection.close()
            raise
        # It may have read the first frames together with the headers.
        self._input = response.fp
        self._socket = self._connection.sock

    def send(self, text: str) -> None:
        self._send(TEXT, text.encode())

    def receive(self, deadline: float) -> str:
        """The next message. `deadline`: of time.monotonic()."""
        message = b""
        is_open = False
        while True:
            self._socket.settimeout(max(0.001, min(SILENCE_S, deadline - time.monotonic())))
            first, length = self._read(2)
            opcode, is_control = first & 0x0F, bool(first & 0x08)
            if length & MASKED or first & RESERVED or (is_control and (length > LARGEST_CONTROL or not first & FINAL)):
                raise ConnectionError("a frame that RFC 6455 does not allow")
            if length > LARGEST_CONTROL:
                length = int.from_bytes(self._read(2 if length == 126 else 8), "big")
            if len(message) + length > MAX_MESSAGE_BYTES:
                raise ConnectionError(f"a message of more than {MAX_MESSAGE_BYTES} bytes")
            payload = self._read(length)
            if opcode == PING:
                self._send(PONG, payload)
            elif opcode == CLOSE:
                raise ConnectionError("closed by the gateway")
            elif opcode == (0 if is_open else TEXT):
                message += payload
                is_open = True
                if first & FINAL:
                    return message.decode()
            elif opcode != PONG:
                raise ConnectionError("a frame that was not expected")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._send(CLOSE, (1000).to_bytes(2, "big"))
        self._connection.close()

    def _read(self, length: int) -> bytes:
        data = self._input.read(length)
        if len(data) < length:
            raise ConnectionError("the connection has ended")
        return data

    def _send(self, opcode: int, payload: bytes) -> None:
        size = len(payload)
        if size <= LARGEST_CONTROL:
            head = bytes([FINAL | opcode, MASKED | size])
        else:
            head = bytes([FINAL | opcode, MASKED | 126]) + size.to_bytes(2, "big")
        mask = secrets.token_bytes(4)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self._socket.sendall(head + mask + masked)
