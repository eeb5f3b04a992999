import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { PANEL_PACKAGE_LIMITS } from "@backplane/contract/panels";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { Stage } from "../workspaces/stages.suite.ts";
import { callerOf, openStage } from "../workspaces/workspaces-under-test.suite.ts";
import { createInstalledPanels } from "./panel-packages.ts";
import { samplePackages, samplePanel, sampleVersion } from "./sample-packages.suite.ts";

const ONE = sampleVersion("1.0.0", { read: ["imu"] });
const SAME = sampleVersion("1.1.0", { read: ["imu"] });
const MORE = sampleVersion("2.0.0", { read: ["imu"], control: ["motor"] });
const ada = callerOf("ada");
const program = callerOf("ada/program");

const asked = ({ version, sha256, panel: { wants } }: typeof ONE) => ({ version, sha256, wants });
const refused = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;

async function open(t: TestContext, stage: Stage) {
  const { first, last, clock } = await openStage(t, stage);
  const { id: workspaceId } = await first.workspaces.openFor(ada, { owner: "ada", repo: "rover" });
  const [one, other] = [first, last].map(({ dependencies }) =>
    createInstalledPanels({ ...dependencies, panelPackages: samplePackages([MORE, SAME, ONE]) }),
  );
  assert.ok(one && other);
  return { one, other, clock, workspaceId, key: { workspaceId, identifier: ONE.identifier } };
}

/** Which panels a workspace has, on every engine, on two instances. */
export function testPackages(stage: Stage): void {
  const { name } = stage;

  test(`${name}: a workspace pins a version and its checksum, and keeps who allowed it and when`, async (t) => {
    const { one, other, clock, key, workspaceId } = await open(t, stage);
    await assert.rejects(one.shown(key, false), refused("consent-needed"));
    await one.allow(key, ada, asked(ONE));
    const { panels } = await other.list(workspaceId, ada);
    assert.deepEqual(
      panels.map(({ version, sha256, allowedBy, allowedAt, owner }) => [version, sha256, allowedBy, allowedAt, owner]),
      [["1.0.0", ONE.sha256, "ada", new Date(clock.nowMs).toISOString(), "ada"]],
    );
    assert.equal(panels[0]?.update?.version, "2.0.0");
    assert.equal((await other.shown(key, false)).sha256, ONE.sha256);
    assert.equal(await one.remove(key), true);
    await assert.rejects(other.shown(key, false), refused("consent-needed"));
  });

  test(`${name}: nothing is allowed but what this version wants, and only by a person`, async (t) => {
    const { one, key } = await open(t, stage);
    await assert.rejects(one.allow(key, program, asked(ONE)), refused("consent-needed"));
    await assert.rejects(
      one.allow(key, ada, { ...asked(MORE), wants: ONE.panel.wants }),
      refused("consent-needed"),
      "another version's consent",
    );
    await assert.rejects(one.allow(key, ada, { ...asked(ONE), sha256: MORE.sha256 }), refused("package-unknown"));
    await assert.rejects(
      one.allow({ ...key, identifier: "com.example.other" }, ada, asked(ONE)),
      refused("package-unknown"),
    );
  });

  test(`${name}: an update that wants no more needs nobody; one that wants more asks a person again`, async (t) => {
    const { one, key, clock } = await open(t, stage);
    await one.allow(key, ada, asked(ONE));
    const beganAtMs = clock.nowMs;
    clock.nowMs += 60_000;
    const updated = await one.allow(key, program, asked(SAME));
    assert.deepEqual([updated.version, updated.allowedAt], ["1.1.0", new Date(beganAtMs).toISOString()]);
    await assert.rejects(one.allow(key, program, asked(MORE)), refused("consent-needed"));
    assert.equal((await one.shown(key, false)).version, "1.1.0", "the old version runs on");
    const bob = await one.allow(key, callerOf("bob"), asked(MORE));
    assert.deepEqual([bob.allowedBy, bob.allowedAt], ["bob", new Date(clock.nowMs).toISOString()]);
  });

  test(`${name}: somebody chooses devices for a panel; they stay with an update, with who chose them and when`, async (t) => {
    const { one, other, key, clock, workspaceId } = await open(t, stage);
    const chosen = async () => (await other.list(workspaceId, ada)).panels[0]?.devices;
    const first = await one.allow(key, ada, { ...asked(ONE), devices: ["rover"] });
    const at = new Date(clock.nowMs).toISOString();
    assert.deepEqual(first.devices, { ids: ["rover"], chosenBy: "ada", chosenAt: at });
    assert.deepEqual((await other.shown(key, false)).chosen?.ids, ["rover"]);
    clock.nowMs += 60_000;
    await one.allow(key, program, asked(SAME));
    assert.deepEqual(await chosen(), { ids: ["rover"], chosenBy: "ada", chosenAt: at });
    await assert.rejects(one.allow(key, program, { ...asked(SAME), devices: null }), refused("consent-needed"));
    await one.chooseDevices(key, callerOf("bob"), ["lamp", "rover"], false);
    const later = { ids: ["lamp", "rover"], chosenBy: "bob", chosenAt: new Date(clock.nowMs).toISOString() };
    assert.deepEqual(await chosen(), later);
    assert.equal((await other.list(workspaceId, ada)).panels[0]?.allowedBy, "ada", "who allowed it is kept");
    await one.chooseDevices(key, ada, [], false);
    assert.deepEqual((await other.shown(key, false)).chosen?.ids, [], "none at all");
    await one.chooseDevices(key, ada, null, false);
    assert.equal(await chosen(), null);
    await one.chooseDevices(key, ada, ["rover"], false);
    await one.remove(key);
    await assert.rejects(one.chooseDevices(key, ada, ["rover"], false), refused("consent-needed"));
    assert.equal(
      (await one.allow(key, ada, asked(ONE))).devices,
      null,
      "a panel that is added again has no choice yet",
    );
  });

  test(`${name}: a version that comes at the moment of a choice does not undo it`, async (t) => {
    const { one, other, key, workspaceId } = await open(t, stage);
    await one.allow(key, ada, asked(ONE));
    const both = [one.allow(key, program, asked(SAME)), other.chooseDevices(key, ada, ["rover"], false)] as const;
    const [, choosing] = await Promise.allSettled(both);
    const devices = (await one.list(workspaceId, ada)).panels[0]?.devices;
    if (choosing.status === "fulfilled") assert.deepEqual(devices?.ids, ["rover"]);
    else assert.ok(refused("package-changed")(choosing.reason), String(choosing.reason));
  });

  test(`${name}: of any number of panels that are added at once, a workspace gets as many as it may have`, async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id: workspaceId } = await first.workspaces.openFor(ada, { owner: "ada", repo: "rover" });
    const many = Array.from({ length: PANEL_PACKAGE_LIMITS.maxPerWorkspace + 12 }, (_, at) => ({
      ...{ ...ONE, identifier: `com.example.gauge${at}` },
    }));
    const [one, other] = [first, last].map(({ dependencies }) =>
      createInstalledPanels({ ...dependencies, panelPackages: samplePackages(many) }),
    );
    const added = await Promise.allSettled(
      many.map(({ identifier }, at) => (at % 2 ? one : other)?.allow({ workspaceId, identifier }, ada, asked(ONE))),
    );
    const failed = added.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    assert.equal(failed.length, 12);
    for (const { reason } of failed) assert.ok(refused("too-many-of-these")(reason), String(reason));
    assert.equal((await one?.list(workspaceId, ada))?.panels.length, PANEL_PACKAGE_LIMITS.maxPerWorkspace);
  });

  test(`${name}: of two people who change the version at once, one is told to look again`, async (t) => {
    const { one, other, key } = await open(t, stage);
    await one.allow(key, ada, asked(ONE));
    const both = await Promise.allSettled([one.allow(key, ada, asked(SAME)), other.allow(key, ada, asked(MORE))]);
    const failed = both.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    // On one engine they may also come one after the other.
    for (const { reason } of failed) assert.ok(refused("package-changed")(reason), String(reason));
    assert.ok(failed.length <= 1);
  });

  test(`${name}: a draft is shown once a person has allowed what it wants, for a day`, async (t) => {
    const { one, other, key, clock } = await open(t, stage);
    const draft = (wants: object, note = "") =>
      Buffer.from(JSON.stringify({ ...samplePanel(wants), description: `Draft ${note}` }));
    const sent = await one.sendDraft(key, program, draft({ read: ["imu"] }));
    assert.equal(sent.allowedBy, null);
    await assert.rejects(other.shown(key, true), refused("consent-needed"));
    await assert.rejects(
      one.allowDraft(key, ada, { ...asked(ONE), sha256: sent.sha256, wants: samplePanel().wants }),
      refused("consent-needed"),
    );
    await one.allowDraft(key, ada, { version: "1.0.0", sha256: sent.sha256, wants: sent.panel.wants });
    assert.equal((await other.shown(key, true)).sha256, sent.sha256);
    await one.chooseDevices(key, ada, ["rover"], true);
    const again = await other.sendDraft(key, program, draft({ read: ["imu"] }, "two"));
    assert.equal(again.allowedBy, "ada", "the same wants need no second answer");
    assert.deepEqual(again.devices?.ids, ["rover"]);
    assert.equal((await one.shown(key, true)).sha256, again.sha256);
    await assert.rejects(one.files(key, sent.sha256, true), refused("package-unknown"), "the earlier one is gone");
    await one.sendDraft(key, program, draft({ read: ["imu"], control: ["motor"] }));
    await assert.rejects(one.shown(key, true), refused("consent-needed"), "it wants more");
    await one.sendDraft(key, program, draft({ read: ["imu"] }, "three"));
    clock.nowMs += PANEL_PACKAGE_LIMITS.draftLifeMs - 1_000;
    await one.sendDraft(key, program, draft({ read: ["imu"] }, "four"));
    clock.nowMs += 2_000;
    await assert.rejects(one.shown(key, true), refused("consent-needed"), "the consent is a day old");
    clock.nowMs += PANEL_PACKAGE_LIMITS.draftLifeMs;
    await assert.rejects(one.shown(key, true), refused("package-unknown"), "the draft is a day old");
  });
}
