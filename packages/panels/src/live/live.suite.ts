import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Order, SharingRequest } from "@backplane/contract/panels";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { Answered } from "../services.ts";
import { FRAMES_URL, openLiveForTest, type Stage } from "./live-under-test.suite.ts";
import { type Page, until } from "./page.suite.ts";

const LONG_MS = 30_000;
const EVAL: Order = { kind: "eval", tabId: "tab", code: "1", isPrepared: true, timeoutMs: LONG_MS };
const asking = { timeoutMs: LONG_MS };
const by = (page: Page, name: string) => {
  page.answer = () => name;
  return page;
};
const shown = (answered: Answered) => (answered.ok ? answered.value : answered);

export function liveLaws(stage: Stage): void {
  describe(`live, ${stage.name}`, () => {
    const rule = ruleTest(stage.name);
    test("a page is welcomed with the layout, and gets every change of it", async (t) => {
      const under = await openLiveForTest(t, stage);
      const page = await under.open("demo");
      const id = await under.workspaceId("demo");
      const welcome = await page.hears("welcome");
      assert.equal(welcome.isPrimary, true);
      assert.equal(welcome.framesUrl, FRAMES_URL);
      assert.deepEqual(welcome.layout, await under.first.workspaces.read(id));
      const other = await under.open("demo", under.last);
      const edit = (root: typeof welcome.layout.root) => ({ root: { ...root, id: "renamed" }, answer: undefined });
      const { revision } = await under.last.workspaces.edit(id, edit, { undoable: false });
      for (const each of [page, other]) {
        const { layout } = await each.hears("layout", (message) => message.layout.revision === revision);
        assert.equal(layout.root.id, "renamed");
      }
    });

    test("an order reaches a browser on any instance, and its answer comes back", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      assert.deepEqual(await under.first.live.ask(id, EVAL, asking), { ok: false, reason: "no-browser" });
      const page = by(await under.open("demo", under.last), "here");
      assert.equal(shown(await under.first.live.ask(id, EVAL, asking)), "here");
      assert.equal(shown(await under.last.live.ask(id, EVAL, asking)), "here");
      assert.deepEqual(
        page.orders.map(({ order }) => order),
        [EVAL, EVAL],
      );
    });

    test("the browser that has been there longest answers; when it leaves, the next one takes over and is notified", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const early = by(await under.open("demo", under.last), "early");
      const late = by(await under.open("demo", under.first), "late");
      assert.equal((await late.hears("welcome")).isPrimary, false);
      assert.equal(shown(await under.first.live.ask(id, EVAL, asking)), "early");
      early.vanish();
      assert.equal((await late.hears("primary")).isPrimary, true);
      assert.equal(shown(await under.last.live.ask(id, EVAL, asking)), "late");
    });

    test("of two browsers exactly one gets each of 200 concurrent orders", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const pages = [await under.open("demo", under.first), await under.open("demo", under.last)];
      for (const page of pages) page.answer = (_, orderId) => orderId;
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) => (i % 2 ? under.first : under.last).live.ask(id, EVAL, asking)),
      );
      const given = pages.flatMap((page) => page.orders.map((order) => order.id));
      assert.equal(given.length, 200);
      assert.deepEqual(new Set(answers.map(shown)), new Set(given));
      assert.equal(new Set(given).size, 200);
    });

    rule("a browser's refusal is passed on with its reason; an unknown reason is ignored", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.last);
      page.answer = (_, orderId) => {
        page.send({ type: "answer", id: orderId, ok: false, code: "made-up" as "not-mounted", detail: "no" });
        page.send({ type: "answer", id: orderId, ok: false, code: "not-mounted", detail: "No such panel here." });
        return "too late";
      };
      assert.deepEqual(await under.first.live.ask(id, EVAL, asking), {
        ...{ ok: false, reason: "refused", code: "not-mounted", detail: "No such panel here." },
      });
    });

    rule("an order says until when it may be begun, by the clock that the welcome tells", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.last);
      const { nowMs } = await page.hears("welcome");
      await under.first.live.ask(id, EVAL, asking);
      const { untilMs } = await page.hears("order");
      const leftMs = untilMs - nowMs;
      assert.ok(leftMs > 0 && leftMs <= LONG_MS + 1, `${leftMs} ms`);
    });

    test("an order that is not answered in time is withdrawn, and a late answer changes nothing", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.last);
      page.answer = () => undefined;
      const answered = await under.first.live.ask(id, EVAL, { timeoutMs: 100 });
      assert.deepEqual(answered, { ok: false, reason: "unknown" });
      const withdrawn = await page.hears("withdrawn");
      assert.equal(withdrawn.id, page.orders[0]?.id);
      page.send({ type: "answer", id: withdrawn.id, ok: true, value: "late" });
      page.answer = () => "in time";
      assert.equal(shown(await under.first.live.ask(id, EVAL, asking)), "in time");
    });

    test("an order whose caller gives up is withdrawn", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.last);
      page.answer = () => undefined;
      const caller = new AbortController();
      const answered = under.first.live.ask(id, EVAL, { ...asking, signal: caller.signal });
      const { id: orderId } = await page.hears("order");
      caller.abort();
      assert.deepEqual(await answered, { ok: false, reason: "unknown" });
      assert.equal((await page.hears("withdrawn")).id, orderId);
    });

    test("when a browser leaves with an unanswered order, the order ends and no other browser gets it", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.last);
      const next = await under.open("demo", under.first);
      page.answer = () => undefined;
      const answered = under.first.live.ask(id, EVAL, asking);
      await page.hears("order");
      page.vanish();
      assert.deepEqual(await answered, { ok: false, reason: "unknown" });
      assert.equal(next.orders.length, 0);
    });

    rule("more pending orders than the limit are refused as busy, and nothing is lost", async (t) => {
      const under = await openLiveForTest(t, stage, { maxPendingOrders: 3 });
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.last);
      page.answer = () => undefined;
      const answers = [1, 2, 3].map(() => under.first.live.ask(id, EVAL, asking));
      await until("three orders wait", () => page.orders.length === 3);
      assert.deepEqual(await under.first.live.ask(id, EVAL, asking), { ok: false, reason: "busy" });
      for (const order of page.orders) page.send({ type: "answer", id: order.id, ok: true, value: 1 });
      assert.deepEqual((await Promise.all(answers)).map(shown), [1, 1, 1]);
    });

    test("an answer to an order that was given to another browser is ignored", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.first);
      const other = await under.open("demo", under.last);
      const stranger = await under.open("demo", under.first, "eve");
      page.answer = () => undefined;
      const answered = under.last.live.ask(id, EVAL, asking);
      const { id: orderId } = await page.hears("order");
      for (const each of [other, stranger]) each.send({ type: "answer", id: orderId, ok: true, value: "forged" });
      // Answered only after everything they sent before was processed.
      for (const each of [other, stranger]) {
        const before = each.heard.length;
        each.sendText("nonsense");
        await until("it was heard", () => each.heard.length > before);
      }
      page.send({ type: "answer", id: orderId, ok: true, value: "own" });
      assert.equal(shown(await answered), "own");
    });

    test("orders of one workspace never reach a browser of another", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const pages = [
        await under.open("another", under.first),
        await under.open("demo", under.last, "eve"),
        await under.open("another", under.last),
      ];
      assert.deepEqual(await under.first.live.ask(id, EVAL, asking), { ok: false, reason: "no-browser" });
      await under.first.live.tell(id, { type: "sharing-over", id: "x" });
      by(await under.open("demo"), "own");
      assert.equal(shown(await under.last.live.ask(id, EVAL, asking)), "own");
      for (const page of pages) assert.deepEqual(new Set(page.heard.map(({ type }) => type)), new Set(["welcome"]));
    });

    test("a message reaches every browser of the workspace", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const pages = [await under.open("demo", under.first), await under.open("demo", under.last)];
      await under.first.live.tell(id, { type: "sharing-over", id: "request" });
      for (const page of pages) assert.equal((await page.hears("sharing-over")).id, "request");
    });

    test("a browser that shares is known everywhere and is asked for screenshots; what it declines is heard on its instance", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      by(await under.open("demo", under.first), "longest");
      const page = by(await under.open("demo", under.last), "shares");
      const heard: unknown[] = [];
      under.last.live.onSharing((event) => heard.push(event));
      const sharingOnly = { ...asking, sharing: "browser" } as const;
      assert.deepEqual(await under.first.live.ask(id, EVAL, sharingOnly), { ok: false, reason: "no-browser" });
      const { browserId } = await page.hears("welcome");
      const sharing = { active: true, displaySurface: "browser" } as const;
      page.send({ type: "sharing", sharing });
      await until("it is heard", () => heard.length === 1);
      assert.equal(shown(await under.first.live.ask(id, EVAL, sharingOnly)), "shares");
      assert.equal(shown(await under.first.live.ask(id, EVAL, asking)), "longest");
      const probe = await fetch(`${under.first.url}${under.current("demo")}/probe`, { headers: under.as("ada") });
      assert.deepEqual(await probe.json(), { browser_connected: true, sse_connections: 0, sharing: true });
      page.send({ type: "sharing-declined", id: "request" });
      await until("that is heard too", () => heard.length === 2);
      assert.deepEqual(heard, [
        { workspaceId: id, browserId, sharing },
        { workspaceId: id, browserId, declined: "request" },
      ]);
    });

    rule("of several browsers that share, the one that shares what is needed is asked", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const heard: unknown[] = [];
      for (const { live } of new Set([under.first, under.last])) live.onSharing((event) => heard.push(event));
      const screen = by(await under.open("demo", under.last), "screen");
      const tab = by(await under.open("demo", under.first), "tab");
      screen.send({ type: "sharing", sharing: { active: true, displaySurface: "monitor" } });
      tab.send({ type: "sharing", sharing: { active: true, displaySurface: "browser" } });
      await until("both are heard", () => heard.length === 2);
      const ask = async (surface: "browser" | "monitor" | "window") =>
        shown(await under.first.live.ask(id, EVAL, { ...asking, sharing: surface }));
      assert.deepEqual([await ask("browser"), await ask("monitor")], ["tab", "screen"]);
      assert.deepEqual(await ask("window"), { ok: false, reason: "no-browser" });
      const both = {
        active: true,
        displaySurface: "browser" as const,
        surfaces: ["browser" as const, "monitor" as const],
      };
      tab.send({ type: "sharing", sharing: both });
      screen.send({ type: "sharing", sharing: { active: false, displaySurface: null } });
      await until("that is known everywhere", async () => (await ask("monitor")) === "tab");
      assert.equal(await ask("browser"), "tab");
    });

    test("a request to share that waits is shown to a browser that opens meanwhile, until it is over", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.last);
      const request: SharingRequest = {
        ...{ id: "request", by: "Agent", reason: null, scope: "workspace", tabId: null },
        ...{ untilMs: under.clock.nowMs + LONG_MS, waitMs: LONG_MS },
      };
      await under.first.live.sharingRequests.add(id, request);
      assert.deepEqual((await page.hears("sharing-asked")).request, request);
      const later = await under.open("demo", under.last);
      assert.deepEqual((await later.hears("welcome")).sharingRequests, [request]);
      await under.first.live.sharingRequests.remove(id, "request", "stopped-waiting");
      assert.deepEqual(await later.hears("sharing-over"), {
        ...{ type: "sharing-over", id: "request", why: "stopped-waiting" },
      });
      const last = await under.open("demo", under.first);
      assert.deepEqual((await last.hears("welcome")).sharingRequests, []);
    });

    test("a request that lingers after its time is shown to a browser that opens then", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const request: SharingRequest = {
        ...{ id: "request", by: "Agent", reason: null, scope: "workspace", tabId: null },
        ...{ untilMs: under.clock.nowMs, waitMs: 0 },
      };
      await under.first.live.sharingRequests.add(id, request, LONG_MS);
      const later = await under.open("demo", under.last);
      assert.deepEqual((await later.hears("welcome")).sharingRequests, [request]);
    });

    test("a mounted tab is reported on the browser's instance; event streams are counted everywhere", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo", under.last);
      const heard: unknown[] = [];
      under.last.live.onMounted((event) => heard.push(event));
      page.send({ type: "mounted", tabId: "tab-1" });
      await until("it is heard", () => heard.length === 1);
      const { browserId } = await page.hears("welcome");
      assert.deepEqual(heard, [{ workspaceId: id, tabId: "tab-1", browserId }]);
      const end = await under.last.live.countStream(id);
      await until("it is counted", async () => (await under.first.live.eventStreams(id)) === 1);
      end?.();
      await until("it is not counted", async () => (await under.first.live.eventStreams(id)) === 0);
    });
  });
}
