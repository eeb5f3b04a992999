import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogPanel } from "@backplane/contract/panels";
import type { Answer, Call, Fault } from "../../calls/call.ts";
import { layoutCalls } from "../calls.ts";
import { createActions } from "./actions.ts";
import { createDockStore } from "./dock-store.ts";
import { fakeLive, splitLayout } from "./fake-live.suite.ts";

const BASE = "/api/workspaces/editor/ada/rover/current";

/** Actions whose calls are recorded, and answered one after the other. */
function setUp(...answers: (Fault | { [key: string]: unknown })[]) {
  const asked: Call[] = [];
  const said: string[] = [];
  const undos: (() => void)[] = [];
  const opened: string[] = [];
  const ask = async <T>(call: Call): Promise<Answer<T>> => {
    asked.push(call);
    const next = answers.shift() ?? { revision: 9 };
    return "status" in next
      ? { ok: false, fault: next as Fault }
      : { ok: true, value: next as T, serverTimeMs: undefined };
  };
  const dock = createDockStore(fakeLive(splitLayout(1)), () => undefined);
  const actions = createActions({
    ...{ calls: layoutCalls({ owner: "ada", repo: "rover" }, ask), dock },
    say: {
      done(words, undo) {
        said.push(words);
        if (undo) undos.push(undo);
      },
      fault: (words) => said.push(words),
    },
    nameOf: (tabId) => `Tab ${tabId}`,
    onOpened: (tabId) => opened.push(tabId),
    onUnknownCaller: () => said.push("unknown caller"),
  });
  return { actions, asked, said, undos, opened, dock };
}

const fault = (status: number, code: string): Fault => ({
  ...{ status, code, title: "It was refused", detail: undefined, errors: [], retryAfterS: undefined },
});

test("a closed tab is confirmed, with an undo for exactly that change", async () => {
  const { actions, asked, said, undos } = setUp({ revision: 5, tabId: "1" });
  await actions.close("1");
  assert.deepEqual(asked[0], { method: "DELETE", path: `${BASE}/tabs`, body: { tabId: "1" } });
  assert.deepEqual(said, ["Closed Tab 1."]);
  undos[0]?.();
  assert.deepEqual(asked[1], { method: "POST", path: `${BASE}/undo`, body: { revision: 5 } });
});

test("closing the others closes each of them, and one undo restores all", async () => {
  const { actions, asked, said, undos } = setUp({ revision: 5 }, { revision: 6 });
  await actions.closeOthers("1");
  assert.deepEqual(
    asked.map(({ body }) => body),
    [{ tabId: "2" }, { tabId: "3" }],
  );
  assert.deepEqual(said, ["Closed 2 tabs."]);
  undos[0]?.();
  await new Promise(setImmediate);
  assert.deepEqual(
    asked.slice(2).map(({ body }) => body),
    [{ revision: 6 }, {}],
  );
});

test("a position in its own strip is counted among the other tabs", async () => {
  const { actions, asked } = setUp();
  await actions.drop("1", { kind: "insert", leafId: "a", index: 3 });
  await actions.drop("3", { kind: "insert", leafId: "a", index: 0 });
  await actions.drop("4", { kind: "insert", leafId: "a", index: 2 });
  assert.deepEqual(
    asked.map(({ body }) => (body as { index: number }).index),
    [2, 0, 2],
  );
});

test("a drop at an edge asks for a new panel there", async () => {
  const { actions, asked } = setUp();
  await actions.drop("1", { kind: "split", leafId: "b", side: "up" });
  assert.deepEqual(asked[0]?.body, {
    ...{ sourcePanelId: "a", tabId: "1", targetPanelId: "b", direction: "vertical", position: "before" },
  });
});

test("a refusal is reported, and the tab that was shown before is shown again", async () => {
  const { actions, said, dock } = setUp(fault(409, "layout-changed"));
  actions.show("a", "2");
  assert.equal(dock.state().shown.get("a"), "2");
  await new Promise(setImmediate);
  assert.equal(dock.state().shown.get("a"), "1");
  assert.deepEqual(said, ["The tab was not shown. It was refused."]);
});

test("a session that ended is noticed", async () => {
  const { actions, said } = setUp(fault(401, "unauthorized"));
  await actions.rename("1", "Log");
  assert.equal(said[0], "unknown caller");
});

test("the keyboard goes to a panel that was added", async () => {
  const { actions, asked, opened } = setUp({ tabId: "7", panelId: "a" }, fault(409, "workspace-full"));
  const panel = { identifier: "backplane/x", name: "Sandbox" } as CatalogPanel;
  await actions.add(panel, { leafId: "a", side: "right" });
  await actions.add(panel, { leafId: "a" });
  assert.deepEqual(
    asked.map(({ path }) => path),
    [`${BASE}/splits`, `${BASE}/tabs`],
  );
  assert.deepEqual(opened, ["7"]);
});
