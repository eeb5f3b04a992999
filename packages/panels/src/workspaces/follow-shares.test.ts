import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "@backplane/kit/callers";
import { followShares } from "./follow-shares.ts";
import { SQLITE } from "./stages.suite.ts";
import { callerOf, openStage, until } from "./workspaces-under-test.suite.ts";

const [ada, eve] = [callerOf("ada"), callerOf("eve")];
const ROVER = { owner: "ada", repo: "rover" };
const CHECK_EVERY_MS = 20;

test("access by a share ends with the share, also without a message, and with its session; other access goes on", async (t) => {
  const { first, access, ends } = await openStage(t, SQLITE);
  const { workspaces, dependencies, database } = first;
  const { id } = await workspaces.openFor(ada, ROVER);
  const shares = await followShares(dependencies, CHECK_EVERY_MS);
  ends.push(() => shares.close());
  const shared = { ...accessOf(eve, eve.userId), sharedWorkspaceId: id };
  const follow = async (which = shared) => {
    const state = { ends: 0 };
    const stop = await shares.followAccess(which, () => {
      state.ends += 1;
    });
    return stop && { state, stop };
  };
  assert.equal(await follow(), undefined, "it is not shared");
  await workspaces.people.invite(ada, ROVER, "eve");
  assert.equal(await follow(), undefined, "nor before she accepts");
  await workspaces.people.accept(eve, ROVER);

  const own = await shares.followAccess(accessOf(ada, ada.userId), () => assert.fail("not hers"));
  const [taken, stopped] = [await follow(), await follow()];
  assert.ok(own && taken && stopped);
  stopped.stop();
  await database.durable.deleteFrom("panels_shares").execute();
  await until("the share has ended", () => taken.state.ends === 1);
  assert.equal(stopped.state.ends, 0);
  assert.equal(await follow(), undefined);

  await workspaces.people.invite(ada, ROVER, "eve");
  await workspaces.people.accept(eve, ROVER);
  const again = await follow();
  assert.ok(again);
  access.end(eve.credentialId);
  assert.equal(again.state.ends, 1, "with her session");
  await workspaces.people.remove(ada, ROVER, "eve");
  assert.equal(again.state.ends, 1, "once");
  own();
});
