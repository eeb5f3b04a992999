import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { PANEL_PACKAGE_LIMITS, type PackageToPage, type PageToPackage } from "@backplane/contract/panels";
import type { connectPanel, Panel } from "./connect-panel.ts";
import { panelModule } from "./panel-module.ts";

const MAX_BYTES = 4_096;

test("the library has less than 4 KB and imports nothing", () => {
  assert.ok(gzipSync(panelModule()).length < MAX_BYTES, `${gzipSync(panelModule()).length} bytes`);
  assert.doesNotMatch(panelModule(), /\bimport\b|require\(/);
});

/** The module as a package has it, with a page at the other end of its port. */
async function connect(t: { after(work: () => void): void }) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const heard: PackageToPage[] = [];
  const post = (message: PageToPackage) => port1.postMessage(JSON.stringify(message));
  const answer: { [name: string]: (...args: never[]) => unknown } = {};
  port1.on("message", (text: string) => {
    const message = JSON.parse(text) as PackageToPage;
    heard.push(message);
    if (message.type === "ready") {
      const theme = { isDark: false, colours: { text: "black" } };
      const clock = { mode: "replay" as const, nowMs: 1_000, speed: 0, endMs: 2_000 };
      const status = { connection: "open" as const, mayControl: true, stopped: null };
      post({ type: "hello", tabId: "tab-1", state: { zoom: 2 }, theme, devices: [], status, clock });
    }
    if (message.type !== "call") return;
    const run = answer[message.name];
    if (run) post({ type: "answer", id: message.id, value: (run(...(message.args as never[])) ?? null) as never });
    else post({ type: "refused", id: message.id, error: "Nobody has allowed this." });
  });
  Object.assign(globalThis, { backplanePort: Promise.resolve(Object.assign(port2, { start: () => {} })) });
  const module = (await import(`data:text/javascript,${encodeURIComponent(panelModule())}`)) as {
    connectPanel: typeof connectPanel;
  };
  return { panel: await module.connectPanel(), heard, post, answer };
}

const next = <T>(on: (listener: (value: T) => void) => () => void): Promise<T> =>
  new Promise((resolve) => {
    const stop = on((value) => {
      stop();
      resolve(value);
    });
  });

test("a panel has its state, hears of changes, calls the page and answers agents", async (t) => {
  const { panel, post, answer, heard } = await connect(t);
  assert.deepEqual([panel.tabId, panel.state(), panel.theme().isDark], ["tab-1", { zoom: 2 }, false]);
  const changed = next(panel.onState);
  post({ type: "state", state: { zoom: 3 } });
  assert.deepEqual(await changed, { zoom: 3 });
  assert.deepEqual(panel.state(), { zoom: 3 });

  answer.readFile = (path: string) => `content of ${path}`;
  assert.equal(await panel.files.read("data/one.txt"), "content of data/one.txt");
  await assert.rejects(panel.files.write("other.txt", "x"), /Nobody has allowed this/);

  answer.subscribe = (subscription: number) => {
    const batch = { tMs: [1], fields: { c: [20] }, thinned: false, isHistory: true, isReset: false };
    post({ type: "batch", subscription, batch: batch as never });
  };
  const batch = next<Parameters<Parameters<Panel["devices"]["subscribe"]>[1]>[0]>((listener) =>
    panel.devices.subscribe({ device: "d", capability: "c" }, listener),
  );
  answer.unsubscribe = () => null;
  assert.deepEqual((await batch).fields, { c: [20] });

  panel.tool("double", ({ n }) => Number(n) * 2);
  post({ type: "tool", id: 1, name: "double", input: { n: 21 } });
  post({ type: "tool", id: 2, name: "none", input: {} });
  post({ type: "draw", id: 3 });
  panel.onScreenshot(() => "data:image/png;base64,AAAA");
  post({ type: "draw", id: 4 });
  const answered = async () => {
    for (;;) {
      const results = heard.filter(({ type }) => type === "result" || type === "refusal");
      if (results.length === 4) return results;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  assert.deepEqual(await answered(), [
    { type: "result", id: 1, value: 42 },
    { type: "refusal", id: 2, error: "The panel has no tool none." },
    { type: "result", id: 3, value: "data:image/png;base64,AAAA" },
    { type: "result", id: 4, value: "data:image/png;base64,AAAA" },
  ]);
});

test("what is longer than a message can be is refused with the limit, and the panel goes on", async (t) => {
  const { panel, answer, heard } = await connect(t);
  const { maxMessageLength } = PANEL_PACKAGE_LIMITS;
  answer.save = () => null;
  const limit = new RegExp(`of at most ${maxMessageLength} characters`);
  await assert.rejects(panel.save("all.csv", "x".repeat(maxMessageLength)), limit);
  await panel.save("part.csv", "x".repeat(maxMessageLength - 200));
  assert.equal(heard.filter(({ type }) => type === "call").length, 1);
});
