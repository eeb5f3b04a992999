import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS, type DevicesPageMessage } from "@backplane/contract/devices";
import { createSerial, type SerialPortOfPage } from "./serial.ts";

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const base64 = (text: string) => Buffer.from(text).toString("base64");
/** What streams have promised is done. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A page with a port whose other end is the test. */
function openPage({ answers = true } = {}) {
  const sent: DevicesPageMessage[] = [];
  const written: string[] = [];
  const timers: { work: () => void; ms: number; isOn: boolean }[] = [];
  let [hidden, leave] = [() => {}, () => {}];
  const page = { isHidden: false, isClosed: false, isConnected: true };
  let device: ReadableStreamDefaultController<Uint8Array> | undefined;
  const port: SerialPortOfPage = {
    open: async () => {},
    readable: new ReadableStream({
      start(controller) {
        device = controller;
      },
    }),
    writable: new WritableStream({ write: (bytes) => void written.push(textOf(bytes)) }),
    async close() {
      page.isClosed = true;
    },
  };
  const serial = createSerial(
    {
      setTimer(work, ms) {
        const timer = { work, ms, isOn: true };
        timers.push(timer);
        return () => {
          timer.isOn = false;
        };
      },
      onFault: (error) => assert.fail(String(error)),
      isHidden: () => page.isHidden,
      onHidden(listener) {
        hidden = listener;
        return () => {};
      },
      onLeave(listener) {
        leave = listener;
        return () => {};
      },
      serialPorts: { requestPort: async () => port },
    },
    {
      newId: () => 7,
      send(message) {
        sent.push(message);
        if (message.type === "serial-open" && answers)
          queueMicrotask(() =>
            serial.opened({ type: "serial-opened", id: 7, name: "odrive-serial", stop: base64("STOP") }),
          );
        return page.isConnected;
      },
    },
  );
  const fire = (ms: number) => {
    for (const timer of timers.filter((each) => each.isOn && each.ms === ms)) {
      timer.isOn = false;
      timer.work();
    }
  };
  return {
    ...{ serial, sent, written, page, fire },
    say: (text: string) => device?.enqueue(Buffer.from(text)),
    pull: () => device?.close(),
    hide() {
      page.isHidden = true;
      hidden();
    },
    leave: () => leave(),
  };
}

test("bytes go both ways, several pieces in one message", async () => {
  const { serial, sent, written, say, fire } = openPage();
  assert.equal(await serial.forPanels.connect("odrive"), undefined);
  assert.equal(serial.forPanels.state().device, "odrive-serial");
  serial.receive(7, base64("r vbus_voltage\n"));
  serial.receive(8, base64("of another port"));
  say("24.");
  say("0\n");
  await settled();
  fire(DEVICES_LIMITS.serialEveryMs);
  assert.deepEqual(sent.slice(1), [{ type: "serial", port: 7, data: base64("24.0\n") }]);
  assert.deepEqual(written, ["r vbus_voltage\n"]);
});

test("a page whose tab is hidden or left, or that lost its connection or its port, stops the device by itself", async () => {
  const ways = {
    hide: "the tab was hidden.",
    leave: "the page was left.",
    pull: "the port was closed.",
    lost: "the connection to the server was lost.",
    ended: "gone",
    disconnect: "you disconnected it.",
  } as const;
  for (const [way, reason] of Object.entries(ways)) {
    const bench = openPage();
    await bench.serial.forPanels.connect("odrive");
    if (way === "lost") {
      bench.page.isConnected = false;
      bench.serial.lost();
    } else if (way === "ended") bench.serial.ended(7, "gone");
    else if (way === "disconnect") bench.serial.forPanels.disconnect();
    else bench[way as "hide" | "leave" | "pull"]();
    await settled();
    assert.deepEqual(bench.written, ["STOP"], way);
    assert.deepEqual(bench.sent.at(-1), { type: "serial-close", port: 7 }, way);
    assert.deepEqual(bench.serial.forPanels.state(), { device: undefined, ended: reason }, way);
    assert.equal(bench.page.isClosed, true, way);
    bench.serial.receive(7, base64("v 0 5\n"));
    await settled();
    assert.deepEqual(bench.written, ["STOP"], `${way}: nothing is written after it`);
  }
});

test("a hub that is silent may be gone: the device is stopped, and goes on when the hub is back", async () => {
  const { serial, written, fire } = openPage();
  await serial.forPanels.connect("odrive");
  serial.receive(7, base64("v 0 5\n"));
  fire(DEVICES_LIMITS.serialSilentMs);
  await settled();
  assert.deepEqual(written, ["v 0 5\n", "STOP"]);
  serial.receive(7, base64("f 0\n"));
  fire(DEVICES_LIMITS.serialSilentMs);
  await settled();
  assert.deepEqual(written.slice(2), ["f 0\n", "STOP"]);
});

test("a refusal is shown, and the port is given back; a device that floods is disconnected", async () => {
  const refused = openPage({ answers: false });
  const connecting = refused.serial.forPanels.connect("odrive");
  await settled();
  assert.equal(refused.serial.refused(7, "A recording is shown."), true);
  assert.equal(await connecting, "A recording is shown.");
  assert.equal(refused.page.isClosed, true);
  const flooded = openPage();
  await flooded.serial.forPanels.connect("odrive");
  flooded.say("x".repeat(5 * DEVICES_LIMITS.maxSerialBytes));
  await settled();
  assert.match(flooded.serial.forPanels.state().ended ?? "", /more than the connection carries/);
  assert.deepEqual(flooded.written, ["STOP"]);
});
