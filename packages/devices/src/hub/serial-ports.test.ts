import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS, type DevicesHubMessage, SERIAL_KINDS } from "@backplane/contract/devices";
import { ADAPTERS } from "../sources/adapters.ts";
import type { Line } from "../sources/line.ts";
import { odriveRequests } from "../sources/odrive/codec.ts";
import { createSerialPorts } from "./serial-ports.ts";

type Attach = (kind: string, line: Line) => { name: string; stopBytes: Uint8Array } | undefined;

function openPorts(options: { mayControl?: boolean; attach?: "replaying" | "elsewhere"; unsentBytes?: number } = {}) {
  const told: DevicesHubMessage[] = [];
  const taken: string[] = [];
  const lines: { line: Line; connection: ReturnType<Line["connect"]> }[] = [];
  const attach: Attach = (kind, line) => {
    if (kind !== "odrive") return undefined;
    const connection = line.connect({
      bytes: (bytes) => void taken.push(String(bytes)),
      ended(reason) {
        taken.push(`ended: ${reason}`);
        connection.close();
        line.onEnd(reason);
      },
    });
    lines.push({ line, connection });
    return { name: "odrive-serial", stopBytes: Buffer.from("STOP") };
  };
  const ports = createSerialPorts({
    ...{ mayControl: options.mayControl ?? true, tell: (message) => void told.push(message) },
    ...{ attach: () => options.attach ?? attach, unsentBytes: () => options.unsentBytes ?? 0 },
  });
  const codes = () => told.map((message) => ("code" in message ? message.code : message.type));
  return { ports, told, taken, lines, codes };
}

test("a port is opened with the bytes that stop the device; then bytes go both ways, in bounded pieces", () => {
  const { ports, told, taken, lines } = openPorts();
  ports.open(3, "odrive");
  assert.deepEqual(told, [{ type: "serial-opened", id: 3, name: "odrive-serial", stop: "U1RPUA==" }]);
  ports.take(3, Buffer.from("24.0\n").toString("base64"));
  ports.take(4, Buffer.from("of nobody").toString("base64"));
  assert.deepEqual(taken, ["24.0\n"]);
  lines[0]?.connection.send(Buffer.alloc(DEVICES_LIMITS.maxSerialBytes + 1));
  assert.deepEqual(
    told.slice(1).map(({ type }) => type),
    ["serial", "serial"],
  );
});

test("whoever may not control, a page that replays and one on another instance get no port; nor do more than two", () => {
  for (const [options, code] of [
    [{ mayControl: false }, "scope-missing"],
    [{ attach: "replaying" }, "replaying"],
    [{ attach: "elsewhere" }, "not-ready"],
  ] as const) {
    const { ports, codes } = openPorts(options);
    ports.open(1, "odrive");
    assert.deepEqual(codes(), [code]);
  }
  const { ports, codes } = openPorts();
  ports.open(1, "kettle");
  for (const id of [1, 1, 2, 3]) ports.open(id, "odrive");
  assert.deepEqual(codes(), [
    ...["unsupported", "serial-opened", "malformed-request", "serial-opened", "too-many-of-these"],
  ]);
});

test("a port ends with its page, and with a page that does not read", () => {
  const { ports, taken, codes } = openPorts();
  ports.open(1, "odrive");
  ports.open(2, "odrive");
  ports.close();
  assert.deepEqual(taken, ["ended: The page is gone.", "ended: The page is gone."]);
  assert.deepEqual(codes().slice(2), ["serial-ended", "serial-ended"]);
  const slow = openPorts({ unsentBytes: DEVICES_LIMITS.maxSourceUnsentBytes });
  slow.ports.open(1, "odrive");
  slow.lines[0]?.connection.send(Buffer.from("v 0 5\n"));
  assert.deepEqual(slow.codes(), ["serial-opened", "serial-ended"]);
});

test("what pages offer is what has bytes to stop a device, and those of an ODrive let every axis run out", () => {
  assert.deepEqual(
    SERIAL_KINDS.map(({ kind, name, shows }) => ({ kind, name, shows })),
    ADAPTERS.filter(({ stopBytes }) => stopBytes).map(({ kind, name, shows }) => ({ kind, name, shows })),
  );
  const bytes = ADAPTERS.find(({ kind }) => kind === "odrive")?.stopBytes?.({ axes: 2 }) ?? Buffer.alloc(0);
  const requests = odriveRequests.createReader().take(Buffer.from(bytes));
  assert.deepEqual(
    requests.map((request) => ("property" in request ? request.property : request.command)),
    ["axis0.requested_state", "axis1.requested_state"],
  );
});
