"""The devices of one workspace. Answers have the names of the API; units are at the end of the names of fields."""

import os
from collections.abc import Iterator, Sequence
from typing import Any, TypedDict
from urllib.parse import quote

from .calls import ANSWER_S, Call, Download, Follow, given, query_of

# A device may take this long to be where it was told to be.
REACH_S = 35.0
WAIT_S = 10.0
# Keeping the last 10 minutes writes all of them before it is answered.
WRITE_S = 60.0
# A camera that does not answer is waited for.
TRY_S = 30.0


class LastValue(TypedDict):
    """`at` and `ageMs` are None if nothing was measured yet."""

    at: str | None
    fields: dict[str, Any]
    ageMs: float | None


class Waited(LastValue):
    reached: bool


class Ack(TypedDict, total=False):
    ok: bool
    code: str
    detail: str
    tookMs: float


class Recordings:
    """What devices measured, said and were told, as files."""

    def __init__(self, call: Call, download: Download, path: str) -> None:
        self._call = call
        self._download = download
        self._path = path

    def list(self) -> list[dict[str, Any]]:
        """Newest first."""
        return self._call("GET", self._path)["recordings"]

    def start(self, name: str | None = None, *, devices: Sequence[str] | None = None, last: float | None = None) -> Any:
        """Records until `stop`. One at a time. `last`: it begins this many seconds ago, with what is in memory."""
        return self._make(name, devices, last, keep=None)

    def keep(self, name: str | None = None, *, devices: Sequence[str] | None = None, last: float | None = None) -> Any:
        """Saves what just happened: the last 10 minutes, or as many seconds as `last` says."""
        return self._make(name, devices, last, keep=True)

    def stop(self, id: str) -> dict[str, Any]:
        return self._call("PATCH", self._of(id), {"state": "stopped"}, timeout=WRITE_S)

    def remove(self, id: str) -> None:
        """With its file."""
        self._call("DELETE", self._of(id))

    def save(self, id: str, file: str | os.PathLike[str], *, format: str = "mcap", **part: str) -> None:
        """Writes a recording to a file, as `mcap`, `csv` or `parquet`. `device` and `capability` are for the last two."""
        self._download(f"{self._of(id)}.{quote(format, safe='')}{query_of(**part)}", file)

    def _make(self, name: str | None, devices: Sequence[str] | None, last: float | None, keep: bool | None) -> Any:
        last_ms = None if last is None else round(last * 1000)
        body = given(name=name, devices=None if devices is None else [*devices], lastMs=last_ms, keep=keep)
        return self._call("POST", self._path, body, timeout=WRITE_S)

    def _of(self, id: str) -> str:
        return f"{self._path}/{quote(id, safe='')}"


class Streams:
    """The cameras. Nothing is connected until somebody looks."""

    def __init__(self, call: Call, path: str) -> None:
        self._call = call
        self._path = path

    def list(self) -> list[dict[str, Any]]:
        """By name, with the state of each."""
        return self._call("GET", self._path)["streams"]

    def add(self, name: str, kind: str, **settings: object) -> dict[str, Any]:
        """What is secret is never shown again. `push` of a stream of the kind `whip` has its address and key, once."""
        return self._call("POST", self._path, {"name": name, "kind": kind, "settings": settings})

    def change(self, name: str, **settings: object) -> dict[str, Any]:
        """Settings that are not given stay. For another host, secrets have to be given again."""
        return self._call("PUT", self._of(name), {"settings": settings})

    def try_out(self, name: str) -> dict[str, Any]:
        """Connects, and says what comes or why nothing does."""
        return self._call("POST", f"{self._of(name)}/try", timeout=TRY_S)

    def new_key(self, name: str) -> dict[str, Any]:
        """Another key for pushing pictures; the one before does not work any more."""
        return self._call("POST", f"{self._of(name)}/key")

    def remove(self, name: str) -> None:
        self._call("DELETE", self._of(name))

    def _of(self, name: str) -> str:
        return f"{self._path}/{quote(name, safe='')}"


class Devices:
    """What moves or powers something needs `take` and `arm` first; `stop` needs neither."""

    def __init__(self, call: Call, follow: Follow, download: Download, workspace: str) -> None:
        self.recordings = Recordings(call, download, f"{workspace}/recordings")
        self.streams = Streams(call, f"{workspace}/streams")
        self._call = call
        self._follow = follow
        self._path = f"{workspace}/devices"

    def list(self) -> list[dict[str, Any]]:
        return self._call("GET", self._path)["devices"]

    def read(self, device: str, capability: str) -> LastValue:
        """The last value of every field."""
        return self._call("GET", self._of(device, capability))

    def wait(
        self,
        device: str,
        capability: str,
        field: str | None = None,
        *,
        above: float | None = None,
        below: float | None = None,
        equals: object = None,
        timeout: float = WAIT_S,
    ) -> Waited:
        """Until `field` is above, below or equal to something; without `field`, for the next sample."""
        text = str(equals).lower() if isinstance(equals, bool) else equals
        query = query_of(field=field, above=above, below=below, equals=text, timeoutMs=round(timeout * 1000))
        return self._call("GET", f"{self._of(device, capability)}/wait{query}", timeout=ANSWER_S + timeout)

    def events(
        self, device: str | None = None, capability: str | None = None, *, rate_hz: float | None = None
    ) -> Iterator[dict[str, Any]]:
        """Follows devices as it happens. Each event has a `type`: `devices`, `values`, `lines` or `stopped`."""
        return self._follow(f"{self._path}/events{query_of(device=device, capability=capability, rateHz=rate_hz)}")

    def history(
        self,
        device: str,
        capability: str,
        *,
        start: str | None = None,
        end: str | None = None,
        points: int | None = None,
        fields: str | None = None,
    ) -> dict[str, Any]:
        """Columns with the lowest, highest, mean and last value of each point; the last hour unless given."""
        query = query_of(**{"from": start, "to": end, "points": points, "fields": fields})
        return self._call("GET", f"{self._of(device, capability)}/history{query}")

    def take(self, device: str, *, take_over: bool = False) -> dict[str, Any]:
        """Takes control, or keeps it: it ends 5 s after it was last used."""
        return self._call("PUT", f"{self._of(device)}/lease", {"takeOver": take_over})

    def leave(self, device: str) -> None:
        """Gives control back. What moves stops."""
        self._call("DELETE", f"{self._of(device)}/lease")

    def arm(self, device: str) -> None:
        self._call("PUT", f"{self._of(device)}/arm", {})

    def disarm(self, device: str) -> None:
        self._call("DELETE", f"{self._of(device)}/arm")

    def command(self, device: str, capability: str, name: str, params: dict[str, Any] | None = None) -> Ack:
        """Returns when the device has answered. What moves stops unless it is sent again within 300 ms."""
        body = {"name": name, "params": params or {}}
        return self._call("POST", f"{self._of(device, capability)}/commands", body, timeout=REACH_S)

    def stop(self) -> dict[str, Ack]:
        """Stops everything that moves or is powered in this workspace; what each device answered."""
        return self._call("POST", f"{self._path}/stop", {})["devices"]

    def clear_stop(self) -> None:
        """After a stop, lets devices be controlled again."""
        self._call("DELETE", f"{self._path}/stop")

    def foxglove(self) -> dict[str, str]:
        """A link for Foxglove or Lichtblick, which look by it. A secret until it ends, 10 minutes after its last use."""
        return self._call("POST", f"{self._path}/foxglove", {})

    def keys(self) -> dict[str, Any]:
        """The keys by which devices connect, and where."""
        return self._call("GET", f"{self._path}/keys")

    def make_key(self, name: str, *, device: str | None = None, gateway: bool = False) -> dict[str, str]:
        """The key is shown once. It is the MQTT password of the device."""
        body = {"name": name, "gateway": gateway, **({} if device is None else {"device": device})}
        return self._call("POST", f"{self._path}/keys", body)

    def revoke_key(self, id: str) -> None:
        self._call("DELETE", f"{self._path}/keys/{quote(id, safe='')}")

    def _of(self, *names: str) -> str:
        return "/".join([self._path, *(quote(name, safe="") for name in names)])
