import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ack, Capability, Device } from "@backplane/contract/devices";
import type { JsonData, JsonObject, PageToPackage, PanelWants } from "@backplane/contract/panels";
import type { Control, Devices, PanelBatch } from "../../devices/devices.ts";
import type { PanelContext } from "../../panel.ts";
import { createBridge } from "./bridge.ts";

const capability = (kind: string, effect: "none" | "moves" = "none"): Capability => ({
  ...{ id: kind, kind, fields: { [`${kind}_value`]: { datatype: "number" } } },
  commands: { go: { params: {}, effect } },
});
const DEVICES = [
  { id: "rover", name: "Rover", capabilities: [capability("imu"), capability("motor", "moves")] },
  { id: "lamp", name: "Lamp", capabilities: [capability("light")] },
].map(
  (each) =>
    ({
      ...each,
      source: "homie",
      state: "ready",
      lastSeenAt: "",
      alerts: [],
      isArmed: true,
      isMoving: false,
    }) as Device,
);

/** A bridge between a page whose devices answer, and a panel that the test plays. */
function open(wants: Partial<PanelWants> = {}, chosenDevices: string[] | null = null) {
  const sent: PageToPackage[] = [];
  const commands: JsonData[] = [];
  const subscribed: JsonData[] = [];
  const states: JsonObject[] = [];
  const written: string[] = [];
  const asked: JsonData[] = [];
  const begun: ((batch: PanelBatch) => void)[] = [];
  let isBehind = false;
  let held = false;
  let chosen: string | undefined;
  const devices = {
    list: () => DEVICES,
    onList: () => () => {},
    status: () => ({ connection: "open", detail: undefined, mayControl: true, stopped: null, replay: null }),
    onStatus: () => () => {},
    subscribe: (want: JsonObject, onBatch: (batch: PanelBatch) => void) => {
      subscribed.push(want);
      begun.push(onBatch);
      return () => void subscribed.pop();
    },
    history: async (...what: JsonData[]) => void asked.push(what),
    command: async (target: JsonObject, name: string): Promise<Ack> => {
      commands.push([target.device ?? null, name]);
      return { ok: true, tookMs: 1 };
    },
    control: (device: string) =>
      ({
        state: () => ({ isMine: true, device: DEVICES.find(({ id }) => id === device), stopped: null }),
        onState: () => () => {},
      }) as unknown as Control,
  } as unknown as Devices;
  const context = {
    ...{ tabId: "tab-1", devices, setTitle: () => {}, onState: () => () => {} },
    state: () => ({ package: "com.example.gauge", own: { zoom: 1 } }),
    setState: async (patch: JsonObject) => void states.push(patch),
    clock: { mode: () => "live", nowMs: () => 1, onChange: () => () => {} },
  } as unknown as PanelContext;
  const bridge = createBridge({
    context,
    chosenDevices,
    panel: { title: "Gauge", wants: { read: [], control: [], files: [], tools: [], ...wants } },
    port: {
      post: (message) => void sent.push(message),
      postUnlessBehind(message) {
        if (!isBehind) sent.push(message);
        return !isBehind;
      },
    },
    chrome: {
      choose: (device) => {
        chosen = device;
      },
      hold: () => {},
      isHeld: () => held,
    },
    files: {
      list: async () => ["data/a", "secret"],
      read: async (path) => path,
      write: async (path) => void written.push(path),
    },
    theme: () => ({ isDark: false, colours: {} }),
    log: async () => {},
    save: (name) => void written.push(name),
    setTimer: () => () => {},
  });
  let last = 0;
  const call = async (name: string, ...args: JsonData[]): Promise<JsonData> => {
    last += 1;
    const id = last;
    bridge.receive({ type: "call", id, name, args });
    for (;;) {
      const answer = sent.find(
        (message) => "id" in message && message.id === id && /answer|refused/.test(message.type),
      );
      if (answer?.type === "answer") return answer.value;
      if (answer?.type === "refused") throw new Error(answer.error);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const hold = (isHeld: boolean) => {
    held = isHeld;
  };
  const fallBehind = (is: boolean) => {
    isBehind = is;
    if (!is) bridge.caughtUp();
  };
  const values = { bridge, call, hold, fallBehind, sent, commands, subscribed, begun, asked, states, written };
  return { ...values, chosen: () => chosen };
}

const MOTOR = { device: "rover", capability: "motor" };

test("a panel is told of the devices that it may read or control, with these capabilities only", () => {
  const seen = (wants: Partial<PanelWants>) => {
    const { bridge, sent } = open(wants);
    bridge.receive({ type: "ready" });
    const hello = sent.find((message) => message.type === "hello");
    assert.ok(hello?.type === "hello");
    assert.deepEqual(hello.state, { zoom: 1 });
    return hello.devices.flatMap(({ id, capabilities }) => capabilities.map(({ kind }) => `${id} ${kind}`));
  };
  assert.deepEqual(seen({}), []);
  assert.deepEqual(seen({ read: ["imu"] }), ["rover imu"]);
  assert.deepEqual(seen({ control: ["light"] }), ["lamp light"]);
  assert.deepEqual(seen({ read: ["*"] }), ["rover imu", "rover motor", "lamp light"]);
});

test("a panel sees the devices that somebody chose for it, and no other by any call", async () => {
  const { bridge, sent, call, asked, commands, subscribed } = open({ read: ["*"], control: ["motor"] }, ["lamp"]);
  bridge.receive({ type: "ready" });
  const hello = sent.find((message) => message.type === "hello");
  assert.deepEqual(hello?.type === "hello" && hello.devices.map(({ id }) => id), ["lamp"]);
  await assert.rejects(call("subscribe", 1, MOTOR), /no such capability/);
  await assert.rejects(call("history", MOTOR, { fromMs: 0 }), /no such capability/);
  await assert.rejects(call("command", MOTOR, "go", {}), /no such capability/);
  await assert.rejects(call("choose", "rover"), /no such device/);
  await assert.rejects(call("hold", { ...MOTOR, label: "Go", name: "go", params: {} }), /no such capability/);
  assert.deepEqual([asked, commands, subscribed], [[], [], []]);
  await call("subscribe", 2, { device: "lamp", capability: "light" });
  assert.equal(subscribed.length, 1);
});

test("values are subscribed to only where they may be read, and a number of times that is limited", async () => {
  const { call, subscribed } = open({ read: ["imu"] });
  await call("subscribe", 1, { device: "rover", capability: "imu", historyMs: 1e12, sinceMs: 5 });
  assert.deepEqual(subscribed, [{ device: "rover", capability: "imu", historyMs: 3_600_000 }]);
  await assert.rejects(call("subscribe", 2, MOTOR), /may read/);
  await assert.rejects(call("subscribe", 2, { device: "lamp", capability: "light" }), /may read/);
  await assert.rejects(call("subscribe", 1, { device: "rover", capability: "imu" }), /this number/);
  for (let n = 2; n <= 16; n += 1) await call("subscribe", n, { device: "rover", capability: "imu" });
  await assert.rejects(call("subscribe", 17, { device: "rover", capability: "imu" }), /at most 16/);
  await call("unsubscribe", 3);
  await call("subscribe", 17, { device: "rover", capability: "imu" });
});

test("a command needs a kind that was allowed; what moves also needs somebody who holds the button", async () => {
  const reader = open({ read: ["*"] });
  await assert.rejects(reader.call("command", MOTOR, "go", {}), /Nobody has allowed/);
  await assert.rejects(reader.call("choose", "rover"), /may control/);
  const driver = open({ control: ["motor"] });
  assert.equal(((await driver.call("command", MOTOR, "go", {})) as JsonObject).code, "not-held");
  driver.hold(true);
  assert.equal(
    ((await driver.call("command", MOTOR, "go", {})) as JsonObject).code,
    "not-held",
    "another button is held",
  );
  await assert.rejects(
    driver.call("hold", { label: "Run", ...MOTOR, name: "go", params: {} }),
    /Choose the device first/,
  );
  await driver.call("choose", "rover");
  assert.equal(driver.chosen(), "rover");
  await driver.call("hold", { label: "Run", ...MOTOR, name: "go", params: {} });
  assert.equal(((await driver.call("command", MOTOR, "go", {})) as JsonObject).ok, true);
  assert.deepEqual([reader.commands, driver.commands], [[], [["rover", "go"]]]);
  await assert.rejects(driver.call("hold", { label: "x".repeat(41), ...MOTOR, name: "go", params: {} }), /at most 40/);
});

test("a panel that was behind is told of the devices again, and gets the history of what it missed", async () => {
  const { call, sent, begun, subscribed, fallBehind } = open({ read: ["*"] });
  await call("subscribe", 1, { device: "rover", capability: "imu", historyMs: 60_000 });
  await call("subscribe", 2, { device: "lamp", capability: "light" });
  const batch: PanelBatch = { tMs: [1], fields: {}, thinned: false, isHistory: false, isReset: false };
  fallBehind(true);
  begun[0]?.(batch);
  assert.equal(sent.filter(({ type }) => type === "batch").length, 0);
  fallBehind(false);
  assert.equal(sent.at(-1)?.type, "devices");
  assert.deepEqual([begun.length, subscribed.length], [3, 2], "only that one begins again");
  begun[2]?.(batch);
  assert.deepEqual(sent.at(-1), { type: "batch", subscription: 1, batch });
});

test("history is that of devices which it may read", async () => {
  const { call, asked } = open({ read: ["imu"] });
  await call("history", { device: "rover", capability: "imu" }, { fromMs: 1.5, points: 1e9 });
  assert.deepEqual(asked, [
    [
      { device: "rover", capability: "imu" },
      { fromMs: 1, points: 5_000 },
    ],
  ]);
  await assert.rejects(call("history", { device: "lamp", capability: "light" }, { fromMs: 1 }), /no such capability/);
  await assert.rejects(call("history", { device: "rover", capability: "imu" }, {}), /fromMs/);
});

test("files are those of its patterns, and its state is its own", async () => {
  const { call, states, written } = open({ files: ["read:data/**", "write:notes/*"] });
  assert.deepEqual(await call("listFiles"), ["data/a"]);
  assert.equal(await call("readFile", "data/a"), "data/a");
  await assert.rejects(call("readFile", "secret"), /Nobody has allowed/);
  await assert.rejects(call("writeFile", "data/a", "x"), /Nobody has allowed/);
  await call("writeFile", "notes/a", "x");
  assert.deepEqual(written, ["notes/a"]);
  await call("setState", { package: "com.example.other", zoom: null, mine: 2 });
  assert.deepEqual(states, [{ own: { package: "com.example.other", mine: 2 } }]);
});

test("functions of the language and wrong arguments are refused, not run", async () => {
  const { call } = open({ read: ["*"], control: ["motor"], files: ["read:**"] });
  for (const name of ["constructor", "toString", "__proto__", "eval", ""]) {
    await assert.rejects(call(name), /no such function/, name);
  }
  for (const [name, ...args] of [
    ["setState", 1],
    ["setTitle", "x".repeat(200)],
    ["subscribe", "1", {}],
    ["subscribe", 1, null],
    ["command", null, "go", {}],
    ["command", MOTOR, 1, {}],
    ["readFile", 3],
    ["hold", []],
    ["log", {}],
  ] as [string, ...JsonData[]][]) {
    await assert.rejects(call(name, ...args), Error, name);
  }
});

test("no more calls are made at a time than may wait, so that a flood costs little", async () => {
  const { bridge, sent, call } = open({ files: ["read:**"] });
  for (let id = 1_001; id <= 1_020; id += 1) bridge.receive({ type: "call", id, name: "readFile", args: ["data/a"] });
  assert.equal(sent.filter(({ type }) => type === "refused").length, 4, "refused at once");
  assert.equal(await call("readFile", "data/a").catch(() => "refused"), "refused");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await call("readFile", "data/a"), "data/a");
});

test("a tool is called while the panel is open, and only one that it declared; a picture is a PNG", async () => {
  const { bridge, sent } = open({ tools: ["peak"] });
  await assert.rejects(bridge.callTool("other", {}), /no tool other/);
  const answer = bridge.callTool("peak", { n: 1 });
  assert.deepEqual(sent.at(-1), { type: "tool", id: 1, name: "peak", input: { n: 1 } });
  bridge.receive({ type: "result", id: 9, value: "forged" });
  bridge.receive({ type: "result", id: 1, value: 42 });
  assert.equal(await answer, 42);
  const refused = bridge.callTool("peak", {});
  bridge.receive({ type: "refusal", id: 2, error: "Not now" });
  await assert.rejects(refused, /Not now/);
  const long = bridge.callTool("peak", {});
  bridge.receive({ type: "result", id: 3, value: "x".repeat(300_000) });
  await assert.rejects(long, /too long/);
  const drawn = bridge.draw();
  bridge.receive({ type: "result", id: 4, value: "data:image/png;base64,iVBORw0K" });
  assert.deepEqual([(await drawn).size, (await drawn).type], [6, "image/png"]);
  for (const [id, value] of [
    [5, "data:image/svg+xml,<svg/>"],
    [6, "https://example.com/picture.png"],
    [7, "data:image/png;base64,?"],
    [8, null],
  ] as const) {
    const wrong = bridge.draw();
    bridge.receive({ type: "result", id, value });
    await assert.rejects(wrong, Error);
  }
  const open_ = bridge.callTool("peak", {});
  bridge.close();
  await assert.rejects(open_, /closed/);
});
