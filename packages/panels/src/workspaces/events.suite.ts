import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type TestContext, test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { openSite } from "./site.suite.ts";
import type { Stage } from "./stages.suite.ts";
import { until } from "./workspaces-under-test.suite.ts";

type Event = { type: string; revision: number; owner?: string; repo?: string };

/** A program that follows a workspace. */
async function follow(address: string, who = "ada") {
  const call = request(`${address}/api/workspaces/editor/ada/rover/current/events`, {
    headers: { authorization: `Bearer ${who}`, accept: "text/event-stream" },
    agent: false,
  }).end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  let text = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  response.on("error", () => {});
  const events = (): Event[] =>
    text
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice("data: ".length)) as Event);
  return { response, events, text: () => text };
}

export function testEvents(stage: Stage): void {
  const it = (name: string, work: (t: TestContext) => Promise<void>) => test(`${stage.name}: ${name}`, work);

  it('GET /events: {"type":"connected",…} then {"type":"workspace_updated","revision"}, at either instance', async (t) => {
    const site = await openSite(t, stage);
    const streams = await Promise.all(site.addresses.map((address) => follow(address)));
    for (const { response, events } of streams) {
      assert.equal(response.statusCode, 200);
      assert.match(String(response.headers["content-type"]), /^text\/event-stream/);
      await until("connected", () => events().length === 1);
      assert.deepEqual(events(), [{ type: "connected", revision: 0, owner: "ada", repo: "rover" }]);
    }
    for (let i = 1; i <= 5; i += 1) {
      assert.equal((await site.ada("POST", "/tabs", { panelType: "sandbox" })).status, 201);
      for (const { events } of streams) {
        await until(`revision ${i}`, () => events().at(-1)?.revision === i);
        assert.equal(events().at(-1)?.type, "workspace_updated");
      }
    }
    for (const { text } of streams) assert.doesNotMatch(text(), /^event:/m, "data only");
    for (const { response } of streams) response.destroy();
  });

  it("a stream ends when its workspace is removed", async (t) => {
    const site = await openSite(t, stage);
    const [, address] = site.addresses;
    const { response, events } = await follow(address);
    await until("connected", () => events().length === 1);
    const ended = once(response, "end");
    assert.equal((await site.call("ada", "DELETE", "/api/workspaces/editor/ada/rover")).status, 204);
    await ended;
  });

  it("when many streams are requested at once, no more are opened than the limit per workspace", async (t) => {
    const site = await openSite(t, stage);
    const asked = PANELS_LIMITS.maxBrowsers + 20;
    const all = await Promise.all(Array.from({ length: asked }, () => follow(site.addresses[0])));
    const open = all.filter(({ response }) => response.statusCode === 200);
    assert.equal(open.length, PANELS_LIMITS.maxBrowsers);
    assert.ok(all.every(({ response }) => response.statusCode === 200 || response.statusCode === 429));
    for (const { response } of open) response.destroy();
    await until("there is room again", async () => {
      const { response } = await follow(site.addresses[0]);
      response.destroy();
      return response.statusCode === 200;
    });
  });

  it("a stream ends with the access of its reader, on either instance; others go on, and it cannot be opened again", async (t) => {
    const site = await openSite(t, stage);
    const revoked = await Promise.all(site.addresses.map((address) => follow(address, "ada/agent")));
    const { response: kept } = await follow(site.addresses[0]);
    const ended = revoked.map(({ response }) => once(response, "end"));
    site.access.end("ada/agent");
    await Promise.all(ended);
    assert.equal(kept.readableEnded, false);
    const { response: again } = await follow(site.addresses[1], "ada/agent");
    assert.equal(again.statusCode, 401);
    kept.destroy();
    await until("nothing is followed any more", () => site.access.followed() === 0);
  });
}
