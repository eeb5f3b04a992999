import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { openLiveForTest, type Stage } from "./live-under-test.suite.ts";
import { until } from "./page.suite.ts";

const SOON = { sweepMs: 20 };
const CLOSE_POLICY = 1008;

/** Who gets in, and for how long. */
export function leaseLaws(stage: Stage): void {
  const rule = ruleTest(stage.name);
  describe(`tickets and leases, ${stage.name}`, () => {
    test("a ticket works once, on any instance", async (t) => {
      const under = await openLiveForTest(t, stage);
      const ticket = await under.ticket("demo", under.first);
      const page = await under.connect(under.last);
      page.send({ type: "hello", ticket });
      await page.hears("welcome");
      const replay = await under.connect(under.first);
      replay.send({ type: "hello", ticket });
      assert.equal((await replay.hears("error")).code, "not-signed-in");
      assert.equal(await replay.closed(), CLOSE_POLICY);
      assert.equal((await under.first.live.browsers(await under.workspaceId("demo"))).length, 1);
    });

    test("of ten connections with the same ticket exactly one is welcomed", async (t) => {
      const under = await openLiveForTest(t, stage);
      const ticket = await under.ticket("demo");
      const pages = await Promise.all(
        Array.from({ length: 10 }, (_, i) => under.connect(i % 2 ? under.first : under.last)),
      );
      for (const page of pages) page.send({ type: "hello", ticket });
      await until("all were answered", () => pages.every((page) => page.heard.length > 0));
      assert.equal(pages.filter((page) => page.heard[0]?.type === "welcome").length, 1);
    });

    rule("a ticket is issued for one's own workspace only, and never without a session", async (t) => {
      const under = await openLiveForTest(t, stage);
      const post = (headers: Record<string, string>) =>
        fetch(`${under.first.url}${under.current("demo", "ada")}/ticket`, { method: "POST", headers });
      assert.equal((await post({})).status, 401);
      const foreign = await post(under.as("eve"));
      assert.equal(foreign.status, 403);
      assert.equal(((await foreign.json()) as { code: string }).code, "workspace-not-yours");
      const own = await post(under.as("ada"));
      assert.equal(own.status, 201);
      assert.equal(own.headers.get("cache-control"), "no-store");
    });

    rule("a page that sends anything before hello, or hello twice, is closed", async (t) => {
      const under = await openLiveForTest(t, stage);
      for (const text of ['{"type":"mounted","tabId":"a"}', "nonsense", '{"type":"hello"}', "[]", "null"]) {
        const page = await under.connect(under.first);
        page.sendText(text);
        assert.equal(await page.closed(), CLOSE_POLICY, text);
      }
      const page = await under.open("demo");
      page.send({ type: "hello", ticket: await under.ticket("demo") });
      assert.equal(await page.closed(), CLOSE_POLICY);
    });

    rule("a page that connects and sends nothing is closed", async (t) => {
      const under = await openLiveForTest(t, stage, SOON);
      const page = await under.connect(under.first);
      under.clock.nowMs += 10_000;
      assert.equal(await page.closed(), CLOSE_POLICY);
    });

    rule("a lease that is not renewed ends; a renewed one continues", async (t) => {
      const under = await openLiveForTest(t, stage, { ...SOON, presenceLifeMs: 10 * PANELS_LIMITS.leaseMs });
      const [stays, ends] = [await under.open("demo"), await under.open("demo", under.last)];
      under.clock.nowMs += PANELS_LIMITS.leaseMs - 1_000;
      stays.send({ type: "renew", ticket: await under.ticket("demo") });
      await stays.hears("renewed");
      under.clock.nowMs += 1_000;
      assert.equal(await ends.closed(), CLOSE_POLICY);
      assert.equal((await ends.hears("error")).code, "not-signed-in");
      assert.equal(stays.closeCode, undefined);
    });

    rule("a lease is renewed by a ticket of the same person for the same workspace only", async (t) => {
      const under = await openLiveForTest(t, stage);
      const foreign = [await under.ticket("another"), await under.ticket("demo", under.last, "eve"), "made-up"];
      for (const ticket of foreign) {
        const page = await under.open("demo");
        page.send({ type: "renew", ticket });
        assert.equal((await page.hears("error")).code, "not-signed-in");
        assert.equal(await page.closed(), CLOSE_POLICY);
      }
    });

    test("sockets and tickets end with the access they were taken by, on either instance; those of others go on", async (t) => {
      const under = await openLiveForTest(t, stage);
      const [page, other] = [await under.open("demo", under.first), await under.open("demo", under.last)];
      const kept = await under.open("own", under.last, "eve");
      const unused = await under.ticket("demo");
      under.access.end("ada");
      for (const ended of [page, other]) {
        assert.equal(await ended.closed(), CLOSE_POLICY);
        assert.equal((await ended.hears("error")).code, "not-signed-in");
      }
      const late = await under.connect(under.first);
      late.send({ type: "hello", ticket: unused });
      assert.equal((await late.hears("error")).code, "not-signed-in");
      assert.equal(await late.closed(), CLOSE_POLICY);
      kept.send({ type: "renew", ticket: await under.ticket("own", under.last, "eve") });
      await kept.hears("renewed");
      assert.equal(under.access.followed(), 1, "a renewed socket follows one access");
    });

    test("a workspace is open in a limited number of browsers; the next one learns why it is refused", async (t) => {
      const under = await openLiveForTest(t, stage, { maxBrowsers: 2 });
      const [first] = [await under.open("demo"), await under.open("demo", under.last)];
      const third = await under.connect(under.last);
      third.send({ type: "hello", ticket: await under.ticket("demo") });
      assert.equal((await third.hears("error")).code, "too-many-of-these");
      await third.closed();
      first.vanish();
      const id = await under.workspaceId("demo");
      await until("it is gone", async () => (await under.last.live.browsers(id)).length === 1);
      await under.open("demo", under.last);
    });

    test("when a workspace is removed, its pages are notified and closed", async (t) => {
      const under = await openLiveForTest(t, stage);
      const page = await under.open("demo", under.last);
      const removed = await under.first.workspaces.remove(
        { userId: "id-ada" } as Parameters<typeof under.first.workspaces.remove>[0],
        { owner: "ada", repo: "demo" },
      );
      assert.ok(removed);
      assert.equal((await page.hears("error")).code, "not-found");
      assert.equal(await page.closed(), CLOSE_POLICY);
    });
  });
}
