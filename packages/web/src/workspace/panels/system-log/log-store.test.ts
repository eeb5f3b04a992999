import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogEntry } from "@backplane/contract/panels";
import type { Answer, Fault } from "../../../calls/call.ts";
import { createLogStore, logPath } from "./log-store.ts";

const workspace = { owner: "fieldworks", repo: "rover" };
const line = (id: number): LogEntry => ({ id, at: "", level: "info", source: "panels", message: `${id}` });
type Page = Answer<{ entries: LogEntry[] }>;
const page = (...ids: number[]): Page => ({ ok: true, value: { entries: ids.map(line) }, serverTimeMs: undefined });
const SILENT: Fault = {
  ...{ status: 0, code: "silent", title: "", detail: undefined, errors: [], retryAfterS: undefined },
};

function setUp() {
  let tell: (entries: LogEntry[]) => void = () => assert.fail("nobody listens");
  let stopped = 0;
  const asked: { path: string; answer: (page: Page) => void }[] = [];
  const onLog = (listener: typeof tell) => {
    tell = listener;
    return () => {
      stopped += 1;
    };
  };
  const ask = (path: string) => new Promise<Page>((answer) => asked.push({ path, answer }));
  let reconnect = () => assert.fail("nobody listens");
  const onReconnect = (listener: () => void) => {
    reconnect = listener as () => never;
    return () => {
      stopped += 1;
    };
  };
  const store = createLogStore({ workspace, onLog, onReconnect }, ask);
  const ids = () => store.view().lines.map(({ id }) => id);
  return {
    ...{ store, ids, asked, stopped: () => stopped, reconnect: () => reconnect() },
    tell: (...lines: number[]) => tell(lines.map(line)),
  };
}

test("no line is lost between the loaded lines and the new ones", async () => {
  const { store, ids, asked, tell } = setUp();
  const loading = store.load();
  tell(4, 5);
  asked[0]?.answer(page(1, 2, 3, 4));
  await loading;
  tell(6);
  assert.deepEqual(ids(), [1, 2, 3, 4, 5, 6]);
  assert.equal(asked[0]?.path, `${logPath(workspace)}?limit=2000`);
});

test("without an answer new lines are still shown, and a second try loads the earlier ones", async () => {
  const { store, ids, asked, tell } = setUp();
  const first = store.load();
  asked[0]?.answer({ ok: false, fault: SILENT });
  await first;
  tell(3);
  assert.deepEqual([store.view().fault?.code, store.view().isLoaded, ids()], ["silent", false, [3]]);
  const second = store.load();
  asked[1]?.answer(page(1, 2, 3));
  await second;
  assert.deepEqual([store.view().fault, store.view().isLoaded, ids()], [undefined, true, [1, 2, 3]]);
});

test("lines written while the connection was down are loaded when it is back", async () => {
  const { store, ids, asked, tell, reconnect } = setUp();
  tell(1, 2);
  reconnect();
  tell(5);
  asked[0]?.answer(page(1, 2, 3, 4));
  await new Promise<void>((done) => store.subscribe(() => done()));
  assert.deepEqual(ids(), [1, 2, 3, 4, 5]);
});

test("a disposed panel no longer listens", () => {
  const { store, stopped } = setUp();
  store.dispose();
  assert.equal(stopped(), 2);
});
