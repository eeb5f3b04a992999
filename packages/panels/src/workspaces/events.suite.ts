import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { WhoIsCalling } from "@backplane/kit/callers";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { openLive } from "../live/live.ts";
import { serveEvents } from "./event-routes.ts";
import { openSite } from "./site.suite.ts";
import type { Stage } from "./stages.suite.ts";
import { openStage, until } from "./workspaces-under-test.suite.ts";

const CHECK_MS = 10;

type Event = { type: string; revision: number; owner?: string; repo?: string };

/** A program that follows a workspace. */
async function follow(address: string) {
  const call = request(`${address}/api/workspaces/editor/ada/rover/current/events`, {
    headers: { authorization: "Bearer ada", accept: "text/event-stream" },
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
    const streams = await Promise.all(site.addresses.map(follow));
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

  it("a stream ends when the key it was opened with is revoked", async (t) => {
    const { first, ends } = await openStage(t, stage);
    const { dependencies, workspaces } = first;
    let isRevoked = false;
    let checks = 0;
    const whoIsCalling: WhoIsCalling = async (request) => {
      checks += 1;
      return isRevoked ? undefined : dependencies.whoIsCalling(request);
    };
    const live = await openLive(dependencies, workspaces);
    const app = await createApp({
      log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
      ...{ metrics: dependencies.metrics, now: dependencies.now, readiness: { checks: {}, isDraining: () => false } },
      ...{ trustProxy: [], overHttps: false },
    });
    serveEvents(app, { ...dependencies, workspaces, live, whoIsCalling }, CHECK_MS);
    await app.listen({ host: "127.0.0.1", port: 0 });
    ends.push(async () => {
      await app.close();
      await live.close();
    });
    const { response, events } = await follow(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
    await until("connected", () => events().length === 1);
    const ended = once(response, "end");
    await until("it was looked at several times", () => checks > 3);
    assert.equal(response.readableEnded, false, "it stays as long as the key is valid");
    isRevoked = true;
    await ended;
  });
}
