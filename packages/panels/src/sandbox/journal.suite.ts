import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { PANELS_LIMITS, type SandboxJournal } from "@backplane/contract/panels";
import { sql } from "kysely";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import { callerOf } from "../workspaces/workspaces-under-test.suite.ts";
import { openJournal } from "./journal.ts";
import { openSandboxStage, PATH, results, type SandboxStage } from "./sandboxes-under-test.suite.ts";

const KIBIBYTE = 1_024;
const ROOMY = { maxEvals: 100, maxBytes: 100 * KIBIBYTE, maxBytesPerOwner: 100 * KIBIBYTE };

async function readJournal({ call, panelId }: SandboxStage, by = call): Promise<SandboxJournal> {
  const { status, body } = await by("GET", `${PATH}/journal?panelId=${panelId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const codesOf = ({ evals }: SandboxJournal): string[] => evals.map(({ code }) => code.slice(code.indexOf("\n") + 1));

/** One journal with limits that a test can reach, and a short way to note code in it. */
function openSmallJournal(site: SandboxStage, limits: Partial<typeof ROOMY> = {}, instance = site.first) {
  const journal = openJournal({ ...instance.dependencies, limits: { ...ROOMY, ...limits } });
  site.ends.push(() => journal.close());
  const add = (tab: { workspaceId: string; tabId: string }, code = "1", generation = 0) =>
    journal.note(tab, code, { id: randomUUID(), generation, ended: "executed" });
  return { ...journal, add };
}

export function testJournal(stage: Stage): void {
  const rule = ruleTest(stage.name);
  const { name } = stage;

  test(`${name}: code that ran is in the journal of its sandbox, in order, on any instance, however it ended`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, elsewhere, tab } = site;
    const untilRan = async ({ body }: Awaited<ReturnType<typeof evaluate>>) => {
      if (body.status === "queued") await results(site, [body.id]);
    };
    const first = await evaluate("'queued first'");
    assert.equal(first.body.status, "queued");
    browser.mount(tab.workspaceId, tab.tabId);
    await untilRan(first);
    // The server may not know yet that nothing waits any more: then this waits its turn, too.
    await untilRan(await evaluate("'second \0'", elsewhere));
    await untilRan(await evaluate("throw new Error('third')"));
    const codes = ["'queued first'", "'second \0'", "throw new Error('third')"];
    assert.deepEqual(browser.ran, codes);
    const journal = await readJournal(site, elsewhere);
    assert.deepEqual([journal.generation, journal.isWhole], [0, true]);
    assert.deepEqual(codesOf(journal), codes);
    assert.deepEqual(
      journal.evals.map(({ ended }) => ended),
      ["executed", "executed", "threw"],
    );
    assert.equal(new Set(journal.evals.map((each) => each.id)).size, journal.evals.length);
  });

  rule(`${name}: callers do not get what the page says about the run; code that did not run is not kept`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate } = site;
    browser.answers = async () => ({ ok: true, value: { status: "error", error: "The code did not run. Stuck." } });
    await evaluate("'not run'");
    browser.answers = async () => ({ ok: false, reason: "unknown" });
    assert.equal((await evaluate("'nobody knows'")).status, 504);
    const odd = { status: "executed", ran: { id: "", generation: -1, ended: "never" } };
    browser.answers = async () => ({ ok: true, value: odd });
    assert.deepEqual((await evaluate("'odd'")).body, { status: "executed" });
    browser.answers = undefined;
    browser.isOpen = browser.isMounted = true;
    assert.deepEqual((await evaluate("1 + 1")).body, { status: "executed", result: 2 });
    assert.deepEqual(codesOf(await readJournal(site)), ["1 + 1"]);
  });

  test(`${name}: where more code ran than is kept, nothing is kept: not the beginning, and not the end`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { tab } = site;
    const byCount = openSmallJournal(site, { maxEvals: 2 });
    await byCount.add(tab, "1");
    await byCount.add(tab, "2");
    assert.deepEqual(codesOf(await byCount.read(tab, 0)), ["1", "2"]);
    await byCount.add(tab, "3");
    const nothing = { generation: 0, isWhole: false, evals: [] };
    assert.deepEqual(await byCount.read(tab, 0), nothing);
    // Another instance does not know it yet.
    await openSmallJournal(site).add(tab, "4");
    assert.deepEqual(await readJournal(site), nothing);

    const other = { ...tab, tabId: "other" };
    const byBytes = openSmallJournal(site, { maxBytes: 4 * KIBIBYTE });
    await byBytes.add(other, "a".repeat(3 * KIBIBYTE));
    assert.equal((await byBytes.read(other, 0)).evals.length, 1);
    await byBytes.add(other, "b".repeat(KIBIBYTE));
    assert.deepEqual(await byBytes.read(other, 0), nothing);
    await byBytes.add(other, "'after a reset'", 1);
    assert.deepEqual(codesOf(await byBytes.read(other, 1)), ["'after a reset'"]);
  });

  rule(`${name}: an eval costs one statement more than without a journal, and none once that is full`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, call, first, panelId } = site;
    const statementsOf = async (work: () => Promise<unknown>) => {
      const before = first.queries.count;
      await work();
      return first.queries.count - before;
    };
    const evaluate = () => call("PATCH", PATH, { panelId, action: "eval", code: "1" }, "ada");
    browser.answers = async () => ({ ok: true, value: { status: "executed" } });
    const without = await statementsOf(evaluate);
    browser.answers = undefined;
    browser.isOpen = browser.isMounted = true;
    assert.equal(await statementsOf(evaluate), without + 1);
    const journal = openSmallJournal(site, { maxEvals: 2 });
    assert.equal(await statementsOf(() => journal.add(site.tab)), 1);
    await journal.add(site.tab);
    assert.equal(await statementsOf(() => journal.add(site.tab)), 0);
  });

  test(`${name}: two instances that keep code of one sandbox at the same time lose none of it`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const journals = [openSmallJournal(site), openSmallJournal(site, {}, site.last)] as const;
    const codes = Array.from({ length: 20 }, (_, n) => String(n));
    await Promise.all(codes.map((code, n) => journals[n % 2 === 0 ? 0 : 1].add(site.tab, code)));
    assert.deepEqual(codesOf(await readJournal(site)).sort(), codes.sort());
  });

  test(`${name}: all journals of an owner together are limited; those of others do not count`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { first, tab } = site;
    const open = async (owner: string) => (await first.workspaces.openFor(callerOf(owner), { owner, repo: "more" })).id;
    const [more, bobs] = [await open("ada"), await open("bob")];
    const journal = openSmallJournal(site, { maxBytesPerOwner: 2 * KIBIBYTE });
    const places = [tab, { workspaceId: more, tabId: "a" }, { workspaceId: more, tabId: "b" }];
    for (const place of [...places, { workspaceId: bobs, tabId: "a" }]) await journal.add(place);
    const isWhole = async (place: typeof tab) => (await journal.read(place, 0)).isWhole;
    assert.deepEqual(await Promise.all(places.map(isWhole)), [true, true, false]);
    assert.equal((await journal.read({ workspaceId: bobs, tabId: "a" }, 0)).evals.length, 1);

    // In one that goes on, the owner's limit is looked at once for every 16 KiB.
    const later = openSmallJournal(site, { maxBytesPerOwner: 4 * KIBIBYTE });
    for (let n = 0; n < 16; n += 1) await later.add(tab, String(n));
    assert.equal(await isWhole(tab), false);
    assert.equal(await isWhole(places[1] ?? tab), true);
  });

  test(`${name}: reset forgets what ran before, and nothing else`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { browser, evaluate, call, panelId, tab } = site;
    browser.isOpen = browser.isMounted = true;
    await evaluate("1");
    const journal = openSmallJournal(site);
    const other = { ...tab, tabId: "other" };
    await journal.add(other);
    await journal.add(tab, "'of the next generation'", 1);
    assert.equal((await call("PATCH", PATH, { panelId, action: "reset" })).status, 204);
    assert.deepEqual((await journal.read(tab, 0)).evals, []);
    const now = await readJournal(site);
    assert.deepEqual([now.generation, codesOf(now)], [1, ["'of the next generation'"]]);
    assert.equal((await journal.read(other, 0)).evals.length, 1);
  });

  test(`${name}: a journal expires as a whole, ${PANELS_LIMITS.journalLifeMs / 86_400_000} days after the last code, and says so`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { clock, tab } = site;
    const journal = openSmallJournal(site);
    await journal.add(tab);
    clock.nowMs += PANELS_LIMITS.journalLifeMs - 1;
    await journal.add(tab);
    clock.nowMs += 2;
    await journal.sweep();
    assert.equal((await journal.read(tab, 0)).evals.length, 2, "its newest entry is young");
    clock.nowMs += PANELS_LIMITS.journalLifeMs;
    await journal.sweep();
    await journal.add(tab);
    assert.deepEqual(await journal.read(tab, 0), { generation: 0, isWhole: false, evals: [] });
    clock.nowMs += 12 * PANELS_LIMITS.journalLifeMs + 1;
    await journal.sweep();
    assert.deepEqual(await journal.read(tab, 0), { generation: 0, isWhole: true, evals: [] });
  });

  rule(
    `${name}: an eval is answered although its code could not be kept; the journal then is not taken for whole`,
    async (t) => {
      const site = await openSandboxStage(t, stage);
      const { browser, evaluate, faults, first } = site;
      const rename = (from: string, to: string) =>
        sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(first.database.durable);
      browser.isOpen = browser.isMounted = true;
      await evaluate("1");
      await rename("panels_journal", "panels_away");
      assert.deepEqual((await evaluate("1 + 1")).body, { status: "executed", result: 2 });
      assert.match(String(faults.splice(0)), /panels_journal/);
      await rename("panels_away", "panels_journal");
      await evaluate("3");
      assert.deepEqual(await readJournal(site), { generation: 0, isWhole: false, evals: [] });
    },
  );

  rule(`${name}: the journal is for those who may use or read the workspace, and of sandboxes only`, async (t) => {
    const site = await openSandboxStage(t, stage);
    const { call, panelId, open } = site;
    for (const [who, status] of [
      ["", 401],
      ["ada/none", 403],
      ["ada/read", 200],
      ["eve/agent", 403],
      ["eve/read", 403],
    ] as const) {
      assert.equal((await call("GET", `${PATH}/journal?panelId=${panelId}`, undefined, who)).status, status, who);
    }
    assert.equal((await call("GET", `${PATH}/journal?panelId=nowhere`)).body.code, "panel-unknown");
    await open("webview");
    assert.equal((await call("GET", `${PATH}/journal?panelId=${panelId}`)).body.code, "wrong-panel-type");
  });
}
