import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { JsonObject, Tab } from "@backplane/contract/panels";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { Type } from "typebox";
import { findPanel } from "../catalog/catalog.ts";
import type { Services } from "../services.ts";
import { serveDrivenPanel } from "./driven-panel.ts";

const PANEL = { panelId: Type.String() };
type LampAction =
  | { panelId: string; action: "dim"; level: number }
  | { panelId: string; action: "setHeaderHidden"; hidden: boolean };

/** A kind of panel that exists only here and adds nothing but its own action. */
async function openLamps(t: TestContext) {
  const tab: Tab = { id: "t1", panelType: findPanel("lights")?.identifier ?? "", panelState: { level: 1 } };
  const root = { type: "leaf", id: "p1", tabs: [tab], activeTabId: "t1" };
  const workspace = { id: "w1", owner: "ada", repo: "demo", layout: { revision: 1, root } };
  const caller = { kind: "Program", userName: "ada", credentialName: "agent" };
  const [patches, notes] = [[] as JsonObject[], [] as string[]];
  const services = {
    workspaces: {
      open: async () => ({ workspace, caller }),
      patchState: async (_id: string, _tabId: string, patch: JsonObject) => {
        patches.push(patch);
        return tab;
      },
    },
    log: { note: (_id: string, _level: string, source: string, text: string) => void notes.push(`${source}: ${text}`) },
  } as unknown as Services;
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    ...{ metrics: createMetrics("test"), now: Date.now, readiness: { checks: {}, isDraining: () => false } },
    ...{ trustProxy: [], overHttps: false },
  });
  t.after(() => app.close());
  serveDrivenPanel<LampAction, { level: number }>(app, services, {
    kind: "lights",
    actions: Type.Union([
      Type.Object({ ...PANEL, action: Type.Literal("dim"), level: Type.Number({ minimum: 0, maximum: 1 }) }),
      Type.Object({ ...PANEL, action: Type.Literal("setHeaderHidden"), hidden: Type.Boolean() }),
    ]),
    description: "Lamps",
    report: Type.Object({ level: Type.Number() }),
    act: {
      async dim(lamp, { level }) {
        await lamp.patch({ level });
        lamp.note(`dimmed to ${level}`);
        return undefined;
      },
    },
    reportOn: async ({ state }) => ({ level: state.level }),
  });
  const url = "/api/panels/lights/ada/demo";
  return {
    ...{ patches, notes },
    patch: (payload: object) => app.inject({ method: "PATCH", url, payload }),
    report: (panelId: string) => app.inject({ method: "GET", url: `${url}?panelId=${panelId}` }),
  };
}

test("a third kind of panel needs only its own actions", async (t) => {
  const lamps = await openLamps(t);
  assert.equal((await lamps.patch({ panelId: "p1", action: "dim", level: 0.5 })).statusCode, 204);
  assert.equal((await lamps.patch({ panelId: "t1", action: "setHeaderHidden", hidden: true })).statusCode, 204);
  assert.deepEqual(lamps.patches, [{ level: 0.5 }, { headerHidden: true }]);
  assert.deepEqual(lamps.notes, ["lights: agent dimmed to 0.5", "lights: agent hid the header"]);
  assert.deepEqual((await lamps.report("p1")).json(), { level: 1 });
});

test("unknown keys of a body are ignored; a wrong value of a known key is refused with its pointer", async (t) => {
  const lamps = await openLamps(t);
  assert.equal((await lamps.patch({ panelId: "p1", action: "dim", level: 1, colour: "red" })).statusCode, 204);
  for (const [body, pointer] of [
    [{ panelId: "p1", action: "dim", level: 2 }, "/level"],
    [{ panelId: "p1", action: "dim" }, "/level"],
    [{ panelId: "p1", action: "explode" }, "/action"],
    [{ action: "dim", level: 1 }, "/panelId"],
  ] as const) {
    const refused = await lamps.patch(body);
    assert.deepEqual([refused.statusCode, refused.json().errors[0].pointer], [422, pointer]);
  }
  assert.equal((await lamps.patch({ panelId: "nowhere", action: "dim", level: 1 })).statusCode, 404);
});
