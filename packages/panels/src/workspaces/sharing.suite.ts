import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { Stage } from "./stages.suite.ts";
import { callerOf, openStage } from "./workspaces-under-test.suite.ts";

const [ada, bob, eve] = [callerOf("ada"), callerOf("bob"), callerOf("eve")];
const ROVER = { owner: "ada", repo: "rover" };

const hasCode = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;

export function testSharing(stage: Stage): void {
  const rule = (name: string, work: (t: TestContext) => Promise<void>) =>
    ruleTest(stage.name)(`${stage.name}: ${name}`, work);
  const it = (name: string, work: (t: TestContext) => Promise<void>) => test(`${stage.name}: ${name}`, work);

  it("a workspace is open to a person it is shared with, once they accept, until it is taken back", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    const { people } = first.workspaces;
    const refused = hasCode("workspace-not-yours");
    await assert.rejects(people.accept(eve, ROVER), refused, "nobody accepts what was not offered");
    await people.invite(ada, ROVER, "eve");
    assert.deepEqual(await people.list(ada, ROVER), [{ name: "eve", accepted: false }]);
    await assert.rejects(last.workspaces.openFor(eve, ROVER), refused, "an invitation counts for nothing");
    assert.deepEqual(await last.workspaces.list(eve.userId, 10), []);
    assert.deepEqual(await last.workspaces.invitations(eve.userId), [ROVER]);
    await people.accept(eve, ROVER);
    const opened = await last.workspaces.openFor(eve, ROVER);
    assert.deepEqual([opened.id, opened.owner, opened.isShared], [id, "ada", true]);
    assert.deepEqual(
      (await last.workspaces.list(eve.userId, 10)).map(({ owner, mayManage, isShared }) => [
        owner,
        mayManage,
        isShared,
      ]),
      [["ada", false, true]],
    );
    assert.deepEqual(await last.workspaces.invitations(eve.userId), []);
    await assert.rejects(last.workspaces.openFor(eve, { owner: "ada", repo: "other" }), refused, "and nothing else");
    await assert.rejects(last.workspaces.openFor(bob, ROVER), refused);
    await last.workspaces.people.remove(ada, ROVER, "eve");
    await assert.rejects(first.workspaces.openFor(eve, ROVER), refused);
  });

  rule("who shares a workspace can do everything in it but rename, share or remove it", async (t) => {
    const { first } = await openStage(t, stage);
    const { workspaces } = first;
    await workspaces.openFor(ada, ROVER);
    await workspaces.people.invite(ada, ROVER, "eve");
    await workspaces.people.accept(eve, ROVER);
    const refused = hasCode("workspace-not-yours");
    await assert.rejects(workspaces.remove(eve, ROVER), refused);
    await assert.rejects(workspaces.rename(eve, ROVER, "mine"), refused);
    await assert.rejects(workspaces.people.invite(eve, ROVER, "bob"), refused);
    await assert.rejects(workspaces.people.list(eve, ROVER), refused);
    await assert.rejects(workspaces.people.remove(eve, ROVER, "bob"), refused);
    await workspaces.people.remove(eve, ROVER, "eve");
    await assert.rejects(workspaces.openFor(eve, ROVER), refused, "she left");
    const guild = { owner: "guild", repo: "oven" };
    await workspaces.openFor(ada, guild);
    await assert.rejects(workspaces.people.invite(bob, guild, "eve"), hasCode("owner-only"));
    for (const [name, code] of [
      ["nobody", "not-found"],
      ["guild", "not-found"],
      ["ada", "own-account"],
    ] as const) {
      await assert.rejects(workspaces.people.invite(ada, ROVER, name), hasCode(code), name);
    }
  });

  it("when a share is accepted and taken back at the same moment, it is not shared afterwards", async (t) => {
    const { first, last } = await openStage(t, stage);
    await first.workspaces.openFor(ada, ROVER);
    for (let round = 0; round < 10; round += 1) {
      await first.workspaces.people.invite(ada, ROVER, "eve");
      const accepting = last.workspaces.people.accept(eve, ROVER).catch((error: unknown) => {
        assert.ok(hasCode("workspace-not-yours")(error));
      });
      await Promise.all([accepting, first.workspaces.people.remove(ada, ROVER, "eve")]);
      await assert.rejects(last.workspaces.openFor(eve, ROVER), hasCode("workspace-not-yours"));
    }
  });

  rule("shares go with the workspace, and with the account", async (t) => {
    const { first } = await openStage(t, stage);
    const { workspaces, database } = first;
    const count = async () => (await database.durable.selectFrom("panels_shares").selectAll().execute()).length;
    for (const repo of ["rover", "oven"]) {
      await workspaces.openFor(ada, { owner: "ada", repo });
      await workspaces.people.invite(ada, { owner: "ada", repo }, "eve");
    }
    await workspaces.remove(ada, ROVER);
    assert.equal(await count(), 1);
    await workspaces.openFor(ada, ROVER);
    assert.deepEqual(await workspaces.people.list(ada, ROVER), [], "a new one with the old name is shared with nobody");
    await workspaces.removeOf([eve.userId]);
    assert.equal(await count(), 0);
  });
}
