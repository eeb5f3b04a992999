import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import { callerOf, until } from "../workspaces/workspaces-under-test.suite.ts";
import { createEvalStore } from "./eval-store.ts";
import { openSandboxStage, PATH, results } from "./sandboxes-under-test.suite.ts";

const { maxQueuedEvals, queuedEvalLifeMs, evalResultLifeMs } = PANELS_LIMITS;
const LIMITS = { perTab: 100, perOwner: 1_000 };

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

export function testEvalQueue(stage: Stage): void {
  const rule = ruleTest(stage.name);
  const { name } = stage;

  test(`${name}: code sent while no browser is open is queued, and run in order when the panel mounts`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, tab } = site;
    const ids: string[] = [];
    for (const n of numbers(5)) {
      const { status, body } = await evaluate(`globalThis.all = [...(globalThis.all ?? []), ${n}]; ${n}`);
      assert.deepEqual([status, body.status], [200, "queued"]);
      ids.push(body.id);
    }
    assert.deepEqual((await site.call("GET", `${PATH}/evals/${ids[0]}`)).body, { id: ids[0], status: "queued" });
    browser.mount(tab.workspaceId, tab.tabId);
    const found = await results(site, ids);
    assert.deepEqual(
      found,
      numbers(5).map((n) => ({ id: ids[n], status: "executed", result: n })),
    );
    const { body } = await evaluate("all.join()");
    // The server may not know yet that nothing waits any more: then this waits its turn, too.
    const [last] = body.status === "queued" ? await results(site, [body.id]) : [body];
    assert.deepEqual([last?.status, last?.result], ["executed", "0,1,2,3,4"]);
  });

  test(`${name}: code that is sent while other code waits is queued behind it, on any instance`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, elsewhere, tab } = site;
    const first = (await evaluate("'first'")).body;
    browser.isOpen = browser.isMounted = true;
    const second = (await evaluate("'second'", elsewhere)).body;
    // It waits although a browser could run it now; unless the first one has been run meanwhile.
    const found = await results(site, second.status === "queued" ? [first.id, second.id] : [first.id]);
    assert.deepEqual(
      [...found, second].slice(0, 2).map(({ result }) => result),
      ["first", "second"],
    );
    assert.deepEqual(browser.ran, ["'first'", "'second'"]);
    // Between processes, the bus takes a moment.
    await until("nothing waits", async () => (await evaluate("3", elsewhere)).body.status !== "queued");
    assert.ok(tab);
  });

  rule(`${name}: a browser that does not show the panel leaves code in the queue`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, tab, openQueue, first } = site;
    browser.isOpen = true;
    const { body } = await evaluate("1");
    assert.equal(body.status, "queued");
    const queue = await openQueue(first);
    await queue.drain(tab);
    assert.equal(await queue.length(tab), 1);
    browser.mount(tab.workspaceId, tab.tabId);
    assert.equal((await results(site, [body.id]))[0].result, 1);
  });

  test(`${name}: each piece of code is taken once, and only one per tab runs at a time`, async (t) => {
    const { first, last, tab } = await openSandboxStage(t, stage);
    const stores = [createEvalStore(first.database), createEvalStore(last.database)] as const;
    for (const n of numbers(10)) {
      const added = { ...tab, id: `e${n}`, code: String(n), timeoutMs: 5_000, nowMs: 1 };
      assert.equal(await stores[0].add(added, LIMITS), "added");
    }
    const order: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const takes = await Promise.all(numbers(12).map((n) => stores[n % 2 === 0 ? 0 : 1].take(tab, 2)));
      const taken = takes.flatMap((one) => (one ? [one.id] : []));
      assert.equal(taken.length, 1, `round ${round}: ${taken}`);
      assert.equal(await stores[1].take(tab, 2), undefined, "not while one is under way");
      order.push(...taken);
      await stores[0].finish(taken[0] ?? "", { status: "executed" }, 3);
    }
    assert.deepEqual(
      order,
      numbers(10).map((n) => `e${n}`),
    );
  });

  test(`${name}: two instances that see the panel mount run every piece of code once, in order`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, elsewhere, call, tab } = site;
    const ids: string[] = [];
    for (const n of numbers(20)) ids.push((await evaluate(String(n), n % 2 === 0 ? call : elsewhere)).body.id);
    for (let again = 0; again < 3; again += 1) browser.mount(tab.workspaceId, tab.tabId);
    await results(site, ids);
    assert.deepEqual(browser.ran, numbers(20).map(String));
  });

  rule(`${name}: ${maxQueuedEvals} pieces of code may wait for a sandbox, the next gets 429`, async (t) => {
    const { evaluate } = await openSandboxStage(t, stage);
    for (let n = 0; n < maxQueuedEvals; n += 1) assert.equal((await evaluate("1")).status, 200);
    const { status, body } = await evaluate("1");
    assert.deepEqual([status, body.code], [429, "browser-busy"]);
  });

  test(`${name}: what all sandboxes of an owner keep is limited, results included; those of others do not count`, async (t) => {
    const { first, tab, evaluate, clock } = await openSandboxStage(t, stage);
    const { nowMs } = clock;
    const store = createEvalStore(first.database);
    const open = async (owner: string) => (await first.workspaces.openFor(callerOf(owner), { owner, repo: "more" })).id;
    const [more, bobs] = [await open("ada"), await open("bob")];
    const fill = (workspaceId: string, id: string, perOwner: number) =>
      store.add({ workspaceId, tabId: "tab", id, code: "1", timeoutMs: 5_000, nowMs }, { perTab: 100, perOwner });
    assert.equal(await fill(tab.workspaceId, "e1", 2), "added");
    assert.equal(await fill(more, "e2", 2), "added");
    assert.equal(await fill(bobs, "e3", 1), "added");
    assert.equal(await fill(more, "e4", 2), "owner-full");
    const taken = await store.take({ workspaceId: more, tabId: "tab" }, nowMs);
    await store.finish(taken?.id ?? "", { status: "executed" }, nowMs);
    assert.equal(await fill(tab.workspaceId, "e5", 2), "owner-full", "a result is kept");
    await store.sweep(0, nowMs + 1);
    assert.equal(await fill(tab.workspaceId, "e6", 2), "added");
    assert.equal((await evaluate("1")).status, 200);
  });

  test(`${name}: reset drops waiting code, and its result says so`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { call, panelId, evaluate, browser, tab } = site;
    const { id } = (await evaluate("1")).body;
    assert.equal((await call("PATCH", PATH, { panelId, action: "reset" })).status, 204);
    const error = "The code did not run. The sandbox was reset first.";
    assert.deepEqual((await call("GET", `${PATH}/evals/${id}`)).body, { id, status: "error", error });
    browser.mount(tab.workspaceId, tab.tabId);
    assert.deepEqual((await evaluate("2")).body, { status: "executed", result: 2 });
    assert.deepEqual(browser.ran, ["2"]);
  });

  test(`${name}: code expires when nobody opens a browser, results expire when nobody reads them`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { call, evaluate, browser, clock, openQueue, first, tab } = site;
    const queue = await openQueue(first);
    const waiting = (await evaluate("1")).body.id;
    clock.nowMs += queuedEvalLifeMs + 1;
    await queue.sweep();
    assert.equal((await call("GET", `${PATH}/evals/${waiting}`)).body.code, "eval-unknown");
    const ran = (await evaluate("2")).body.id;
    browser.mount(tab.workspaceId, tab.tabId);
    await results(site, [ran]);
    clock.nowMs += evalResultLifeMs + 1;
    await queue.sweep();
    assert.equal((await call("GET", `${PATH}/evals/${ran}`)).status, 404);
  });

  test(`${name}: code whose instance died while it ran is not run again, and blocks nothing`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { call, evaluate, browser, clock, openQueue, first, last, tab } = site;
    const lost = (await evaluate("1")).body.id;
    const store = createEvalStore(last.database);
    // Until then the queue looks for a browser.
    while (!(await store.take(tab, clock.nowMs))) await new Promise(setImmediate);
    const next = (await evaluate("2")).body.id;
    browser.isOpen = browser.isMounted = true;
    clock.nowMs += PANELS_LIMITS.maxEvalTimeoutMs + 15_001;
    const queue = await openQueue(first);
    await queue.sweep();
    const { status, body } = await call("GET", `${PATH}/evals/${lost}`);
    assert.deepEqual([status, body.code], [504, "outcome-unknown"]);
    assert.equal((await results(site, [next]))[0].result, 2);
    assert.deepEqual(browser.ran, ["2"]);
  });

  rule(
    `${name}: while no browser shows the panel, code stays in the queue: an instance that is killed then loses nothing`,
    async (t) => {
      const { browser, evaluate, openQueue, first, last, tab } = await openSandboxStage(t, stage);
      const { id } = (await evaluate("1")).body;
      const states = new Set<string | undefined>();
      const store = createEvalStore(last.database);
      browser.answers = async () => {
        states.add((await store.find(tab.workspaceId, id))?.state);
        return { ok: false, reason: "refused", code: "not-mounted", detail: "Not shown." };
      };
      await (await openQueue(first)).drain(tab);
      assert.deepEqual([...states], ["queued"]);
    },
  );

  rule(`${name}: code whose browser cannot be reached stays in the queue, and is run when it can`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, openQueue, first, tab, faults } = site;
    const { id } = (await evaluate("1")).body;
    let tries = 0;
    browser.answers = async ({ kind }) => {
      if (kind !== "eval") return { ok: true, value: "ready" };
      tries += 1;
      throw new Problem("bus-unavailable");
    };
    const queue = await openQueue(first);
    await queue.drain(tab);
    assert.ok(tries > 0);
    browser.answers = undefined;
    browser.mount(tab.workspaceId, tab.tabId);
    assert.equal((await results(site, [id]))[0].result, 1);
    assert.ok(faults.splice(0).every((fault) => fault instanceof Problem && fault.code === "bus-unavailable"));
  });

  rule(`${name}: code that is too long for an order did not run, and does not hold up what is behind it`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, tab } = site;
    const ids = [(await evaluate("'long'")).body.id, (await evaluate("2")).body.id];
    browser.answers = async (order) => {
      if (order.kind !== "eval") return { ok: true, value: "ready" };
      if (order.code.includes("long")) throw new Problem("payload-too-large", { detail: "Too long." });
      return { ok: true, value: { status: "executed", result: 2 } };
    };
    browser.mount(tab.workspaceId, tab.tabId);
    const [long, next] = await results(site, ids);
    assert.deepEqual([long.error, next.result], ["The code did not run. Too long.", 2]);
  });

  rule(
    `${name}: queued code whose browser does not answer is not run again, and its result says that this is unknown`,
    async (t) => {
      const site = await openSandboxStage(t, stage);
      const { call, evaluate, browser, tab } = site;
      const { id } = (await evaluate("1")).body;
      let asked = 0;
      browser.answers = async ({ kind }) => {
        if (kind !== "eval") return { ok: true, value: "ready" };
        asked += 1;
        return { ok: false, reason: "unknown" };
      };
      browser.mount(tab.workspaceId, tab.tabId);
      const endsAtMs = Date.now() + 120_000;
      for (;;) {
        const { status, body } = await call("GET", `${PATH}/evals/${id}`);
        if (status !== 200) {
          assert.deepEqual([status, body.code, asked], [504, "outcome-unknown", 1]);
          break;
        }
        assert.ok(Date.now() < endsAtMs, body.status);
      }
    },
  );

  test(`${name}: code for a workspace that was removed is 404, not an internal error`, async (t) => {
    const { first, tab, clock } = await openSandboxStage(t, stage);
    const gone = { workspaceId: "removed", tabId: tab.tabId, id: "id", code: "1", timeoutMs: 1, nowMs: clock.nowMs };
    await assert.rejects(createEvalStore(first.database).add(gone, LIMITS), { code: "not-found" });
  });

  test(`${name}: code is stored unchanged, whatever characters it has`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, tab } = site;
    const code = "'\u0000 \ud800 é 🛰'.length";
    const { status, body } = await evaluate(code);
    assert.deepEqual([status, body.status], [200, "queued"]);
    browser.mount(tab.workspaceId, tab.tabId);
    assert.equal((await results(site, [body.id]))[0].result, 8);
    assert.deepEqual(browser.ran, [code]);
  });

  test(`${name}: an instance that starts later knows what waits`, async (t) => {
    const { evaluate, openQueue, last, tab } = await openSandboxStage(t, stage);
    await evaluate("1");
    const queue = await openQueue(last);
    assert.equal(queue.isWaiting(tab), true);
  });
}
