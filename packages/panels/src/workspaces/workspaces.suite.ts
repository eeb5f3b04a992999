import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type JsonObject, PANELS_LIMITS } from "@backplane/contract/panels";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { activateTab, addTab, closeTab } from "../layout/edits.ts";
import { faultsIn } from "../layout/faults.suite.ts";
import { tab } from "../layout/sample.suite.ts";
import { findTab, firstLeaf, type Root, tabsOf } from "../layout/tree.ts";
import type { Workspaces } from "../services.ts";
import type { Stage } from "./stages.suite.ts";
import { callerOf, openStage } from "./workspaces-under-test.suite.ts";

const ada = callerOf("ada");
const ROVER = { owner: "ada", repo: "rover" };
const UNDOABLE = { undoable: true };

/** Opens a tab in the first leaf. */
export const add =
  (id: string, kind = "sandbox") =>
  (root: Root) => ({ root: addTab(root, tab(id, kind), { panelId: firstLeaf(root).id }), answer: id });
const close = (id: string) => (root: Root) => ({ root: closeTab(root, id), answer: id });

const hasCode = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;

export function testWorkspaces(stage: Stage): void {
  const rule = (name: string, work: (t: TestContext) => Promise<void>) =>
    ruleTest(stage.name)(`${stage.name}: ${name}`, work);
  const it = (name: string, work: (t: TestContext) => Promise<void>) => test(`${stage.name}: ${name}`, work);
  const tabIds = async (workspaces: Workspaces, id: string): Promise<string[]> => {
    const layout = await workspaces.read(id);
    assert.ok(layout);
    assert.deepEqual(faultsIn(layout.root), []);
    return tabsOf(layout.root).map((each) => each.id);
  };

  it("a workspace is created on first use, once, however many calls come at the same time", async (t) => {
    const { first, last } = await openStage(t, stage);
    const opened = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const { workspaces } = i % 2 === 0 ? first : last;
        return workspaces.openFor(ada, { owner: i % 3 === 0 ? "Ada" : "ada", repo: i % 5 === 0 ? "Rover" : "rover" });
      }),
    );
    assert.equal(new Set(opened.map(({ id }) => id)).size, 1, "names that differ in case only are one");
    const [one] = opened;
    assert.ok(one);
    assert.equal(one.owner, "ada");
    assert.equal(one.layout.revision, 0);
    assert.deepEqual(one.layout.root, { ...firstLeaf(one.layout.root), type: "leaf", tabs: [], activeTabId: null });
    assert.notEqual((await first.workspaces.openFor(ada, { owner: "ada", repo: "other" })).id, one.id);
  });

  it("50 concurrent edits over two instances all succeed, each with its own revision", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    const edits = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? first : last).workspaces.edit(id, add(`t${i}`), UNDOABLE)),
    );
    assert.deepEqual(
      edits.map(({ revision }) => revision).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + 1),
    );
    assert.deepEqual((await tabIds(first.workspaces, id)).sort(), edits.map(({ answer }) => answer).sort());
    assert.equal((await last.workspaces.read(id))?.revision, 50);
  });

  it("of 10 concurrent singletons exactly one is opened, the others are refused", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? first : last).workspaces.edit(id, add(`t${i}`, "3d-viewer"), UNDOABLE),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") assert.ok(hasCode("singleton-panel")(outcome.reason));
    }
    assert.equal((await tabIds(first.workspaces, id)).length, 1);
  });

  rule("an edit that returns the same root makes no revision, and one that throws changes nothing", async (t) => {
    const { first } = await openStage(t, stage);
    const { workspaces } = first;
    const { id } = await workspaces.openFor(ada, ROVER);
    await workspaces.edit(id, add("a"), UNDOABLE);
    assert.deepEqual(await workspaces.edit(id, (root) => ({ root, answer: 7 }), UNDOABLE), { revision: 1, answer: 7 });
    await assert.rejects(workspaces.edit(id, close("x"), UNDOABLE), hasCode("tab-unknown"));
    assert.equal((await workspaces.read(id))?.revision, 1);
    await assert.rejects(workspaces.edit(id, add("b"), { undoable: true, revision: 0 }), hasCode("layout-changed"));
    assert.equal((await workspaces.edit(id, add("b"), { undoable: true, revision: 1 })).revision, 2);
  });

  it("of concurrent edits from one revision exactly one succeeds", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? first : last).workspaces.edit(id, add(`t${i}`), { undoable: true, revision: 0 }),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await first.workspaces.read(id))?.revision, 1);
  });

  it("a state patch is merged, records who drives, and reports a missing tab", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    await first.workspaces.edit(id, add("a"), UNDOABLE);
    const patches: JsonObject[] = [{ generation: 1 }, { headerHidden: true }, { generation: null }];
    for (const patch of patches) await last.workspaces.patchState(id, "a", patch, "My program");
    const found = findTab((await first.workspaces.read(id))?.root as Root, "a")?.tab;
    assert.deepEqual(found, { ...tab("a"), panelState: { headerHidden: true }, drivenBy: "My program" });
    assert.deepEqual(await first.workspaces.patchState(id, "a", { headerHidden: true }), found);
    assert.equal((await first.workspaces.read(id))?.revision, 4, "an equal state makes no revision");
    assert.equal(await first.workspaces.patchState(id, "gone", { headerHidden: true }), undefined);
    const concurrent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? first : last).workspaces.patchState(id, "a", { [`k${i}`]: i }),
    );
    await Promise.all(concurrent);
    const merged = findTab((await first.workspaces.read(id))?.root as Root, "a")?.tab.panelState ?? {};
    assert.equal(Object.keys(merged).length, 21, "none is lost");
  });

  rule("undo reverts changes one by one, and keeps the contents of tabs", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { workspaces } = first;
    const { id } = await workspaces.openFor(ada, ROVER);
    await workspaces.edit(id, add("a"), UNDOABLE);
    await workspaces.edit(id, add("b"), UNDOABLE);
    await workspaces.edit(id, close("a"), UNDOABLE);
    await workspaces.patchState(id, "b", { generation: 2 });
    await workspaces.edit(id, (root) => ({ root: activateTab(root, "b"), answer: 0 }), UNDOABLE);
    assert.equal((await last.workspaces.undo(id, undefined)).revision, 5);
    assert.deepEqual(await tabIds(workspaces, id), ["a", "b"]);
    const root = (await workspaces.read(id))?.root as Root;
    assert.deepEqual(findTab(root, "b")?.tab.panelState, { generation: 2 });
    await workspaces.undo(id, undefined);
    assert.deepEqual(await tabIds(workspaces, id), ["a"]);
    await workspaces.undo(id, undefined);
    assert.deepEqual(await tabIds(workspaces, id), []);
    await assert.rejects(workspaces.undo(id, undefined), hasCode("nothing-to-undo"));
    assert.equal((await workspaces.read(id))?.revision, 7);
  });

  rule("undo of a revision reverts that change or nothing", async (t) => {
    const { first } = await openStage(t, stage);
    const { workspaces } = first;
    const { id } = await workspaces.openFor(ada, ROVER);
    const mine = await workspaces.edit(id, add("a"), UNDOABLE);
    await workspaces.patchState(id, "a", { generation: 1 });
    assert.equal(
      (await workspaces.undo(id, mine.revision)).revision,
      3,
      "a change that cannot be undone does not count",
    );
    const again = await workspaces.edit(id, add("b"), UNDOABLE);
    await workspaces.edit(id, add("c"), UNDOABLE);
    await assert.rejects(workspaces.undo(id, again.revision), hasCode("nothing-to-undo"));
    assert.deepEqual(await tabIds(workspaces, id), ["b", "c"]);
  });

  it("concurrent undos each revert a different change, among edits that all succeed", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    for (let i = 0; i < 10; i += 1) await first.workspaces.edit(id, add(`old${i}`), UNDOABLE);
    const one = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) => (i % 2 ? first : last).workspaces.undo(id, 10)),
    );
    assert.equal(one.filter(({ status }) => status === "fulfilled").length, 1, "one change is taken back once");
    assert.equal((await tabIds(first.workspaces, id)).length, 9);
    await Promise.all([
      ...Array.from({ length: 5 }, (_, i) => (i % 2 ? first : last).workspaces.undo(id, undefined)),
      ...Array.from({ length: 5 }, (_, i) => (i % 2 ? first : last).workspaces.edit(id, add(`new${i}`), UNDOABLE)),
    ]);
    assert.equal((await tabIds(first.workspaces, id)).length, 9, "each undo took one tab, each edit brought one");
    assert.equal((await first.workspaces.read(id))?.revision, 21);
  });

  it(`the last ${PANELS_LIMITS.maxUndo} changes can be undone, and no more are stored`, async (t) => {
    const { first } = await openStage(t, stage);
    const { workspaces, database } = first;
    const { id } = await workspaces.openFor(ada, ROVER);
    for (let i = 0; i < PANELS_LIMITS.maxUndo + 5; i += 1) await workspaces.edit(id, add(`t${i}`), UNDOABLE);
    const kept = await database.durable.selectFrom("panels_undo").select("revision").orderBy("revision").execute();
    assert.equal(kept.length, PANELS_LIMITS.maxUndo);
    assert.equal(kept[0]?.revision, 6);
  });

  rule("somebody else's workspace, a missing one and an unknown owner are refused in the same way", async (t) => {
    const { first } = await openStage(t, stage);
    const { workspaces } = first;
    await workspaces.openFor(ada, ROVER);
    const eve = callerOf("eve");
    for (const params of [ROVER, { owner: "ada", repo: "none" }, { owner: "nobody", repo: "rover" }]) {
      await assert.rejects(workspaces.openFor(eve, params), hasCode("workspace-not-yours"));
      await assert.rejects(workspaces.remove(eve, params), hasCode("workspace-not-yours"));
    }
    const guild = { owner: "guild", repo: "rover" };
    const mine = await workspaces.openFor(ada, guild);
    assert.equal(mine.owner, "Guild");
    assert.equal((await workspaces.openFor(callerOf("bob"), guild)).id, mine.id, "an organisation's is its members'");
    await assert.rejects(workspaces.openFor(eve, guild), hasCode("workspace-not-yours"));
  });

  rule(
    "a mere member cannot remove or rename a workspace of an organisation, not even one they made; an owner can",
    async (t) => {
      const { first } = await openStage(t, stage);
      const { workspaces } = first;
      const guild = { owner: "guild", repo: "rover" };
      const { id } = await workspaces.openFor(callerOf("bob"), guild);
      await assert.rejects(workspaces.remove(callerOf("bob"), guild), hasCode("owner-only"));
      await assert.rejects(workspaces.rename(callerOf("bob"), guild, "mine"), hasCode("owner-only"));
      assert.ok(await workspaces.read(id));
      assert.ok(await workspaces.remove(ada, guild));
      assert.equal(await workspaces.read(id), undefined);
    },
  );

  it("lists one's own and one's organisations' workspaces, newest first", async (t) => {
    const { first, clock } = await openStage(t, stage);
    const { workspaces } = first;
    const names = [ROVER, { owner: "guild", repo: "oven" }, { owner: "ada", repo: "arm" }];
    for (const params of names) {
      clock.nowMs += 1_000;
      await workspaces.openFor(ada, params);
    }
    await workspaces.openFor(callerOf("eve"), { owner: "eve", repo: "own" });
    clock.nowMs += 1_000;
    const { id } = await workspaces.openFor(ada, ROVER);
    await workspaces.edit(id, add("a"), UNDOABLE);
    const listed = await workspaces.list(ada.userId, 10);
    assert.deepEqual(
      listed.map(({ owner, repo, tabs }) => `${owner}/${repo} ${tabs}`),
      ["ada/rover 1", "ada/arm 0", "Guild/oven 0"],
    );
    assert.equal(listed[0]?.updatedAtMs, clock.nowMs);
    assert.equal((await workspaces.list(ada.userId, 2)).length, 2);
    assert.deepEqual(
      (await workspaces.list(callerOf("bob").userId, 10)).map(({ repo }) => repo),
      ["oven"],
    );
  });

  it("a removed workspace is gone with its history, and the next use creates a new one", async (t) => {
    const { first } = await openStage(t, stage);
    const { workspaces, database } = first;
    const { id } = await workspaces.openFor(ada, ROVER);
    await workspaces.edit(id, add("a"), UNDOABLE);
    assert.ok(await workspaces.remove(ada, { owner: "ADA", repo: "ROVER" }));
    assert.equal(await workspaces.remove(ada, ROVER), undefined);
    assert.equal(await workspaces.read(id), undefined);
    assert.deepEqual(await database.durable.selectFrom("panels_undo").selectAll().execute(), []);
    await assert.rejects(workspaces.edit(id, add("b"), UNDOABLE), hasCode("not-found"));
    const next = await workspaces.openFor(ada, ROVER);
    assert.notEqual(next.id, id);
    assert.equal(next.layout.revision, 0);
  });

  it("of several that are renamed to one name at once exactly one gets it; each keeps its folder", async (t) => {
    const { first, last } = await openStage(t, stage);
    const repos = Array.from({ length: 8 }, (_, i) => `r${i}`);
    for (const repo of repos) await first.workspaces.openFor(ada, { owner: "ada", repo });
    const renamed = await Promise.allSettled(
      repos.map((repo, i) => (i % 2 ? first : last).workspaces.rename(ada, { owner: "ada", repo }, "Rover")),
    );
    const winners = renamed.filter(({ status }) => status === "fulfilled");
    assert.equal(winners.length, 1);
    for (const each of renamed) if (each.status === "rejected") assert.ok(hasCode("name-taken")(each.reason));
    const winner = repos[renamed.findIndex(({ status }) => status === "fulfilled")] ?? "";
    const { repo, folder } = await first.workspaces.openFor(ada, ROVER);
    assert.deepEqual([repo, folder], ["Rover", winner]);
    const next = await last.workspaces.openFor(ada, { owner: "ada", repo: winner });
    assert.equal(next.folder, `${winner}~${next.id}`, "a new workspace with the old name has a folder of its own");
    await assert.rejects(
      first.workspaces.rename(ada, { owner: "ada", repo: "none" }, "x"),
      hasCode("workspace-unknown"),
    );
  });

  rule(`an owner has at most ${PANELS_LIMITS.maxWorkspacesPerOwner} workspaces`, async (t) => {
    const { first, clock } = await openStage(t, stage);
    const rows = Array.from({ length: PANELS_LIMITS.maxWorkspacesPerOwner }, (_, i) => ({
      ...{ id: `w${i}`, owner_id: ada.userId, repo: `r${i}`, repo_key: `r${i}`, revision: 0 },
      ...{ layout: "{}", created_at_ms: clock.nowMs, updated_at_ms: clock.nowMs },
    }));
    await first.database.durable.insertInto("panels_workspaces").values(rows).execute();
    await assert.rejects(first.workspaces.openFor(ada, ROVER), hasCode("too-many-of-these"));
    assert.equal((await first.workspaces.openFor(ada, { owner: "ada", repo: "r7" })).id, "w7", "those there are open");
  });

  rule("all tabs together hold at most 1 MiB", async (t) => {
    const { first } = await openStage(t, stage);
    const { workspaces } = first;
    const { id } = await workspaces.openFor(ada, ROVER);
    const large = { text: "x".repeat(PANELS_LIMITS.maxStateBytes - 100) };
    const fill = async () => {
      for (let i = 0; i < 40; i += 1) {
        await workspaces.edit(id, add(`t${i}`), { undoable: false });
        await workspaces.patchState(id, `t${i}`, large);
      }
    };
    await assert.rejects(fill(), hasCode("workspace-full"));
    assert.ok((await tabIds(workspaces, id)).length > 30);
  });
}
