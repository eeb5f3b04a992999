import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Layout } from "@backplane/contract/panels";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import type { Visit } from "../support/browser.ts";
import { until } from "../support/processes.ts";
import { type Driver, driversOf, leavesOf } from "../support/workspaces.ts";
import type { BrowserBench } from "./bench.ts";
import { type Point, shows } from "./page-bench.ts";

const OPERATIONS = isLongRun ? 200 : 20;
/** Concurrent operations. */
const WAVE = 10;
const BROWSERS = isLongRun ? 3 : 2;
const REPO = "random";
const KINDS = ["led", "imu", "gpio", "motor", "3d-viewer", "schematic-editor"] as const;
const SINGLETONS = ["3d-viewer", "schematic-editor"];
/** Another client was faster: the panel or tab is gone, or the singleton is already open. */
const TOO_LATE = [404, 409];

const operation = fc.record({
  does: fc.constantFrom("open", "open", "split", "close", "move", "beside", "resize", "show", "rename"),
  /** The browsers, then programs on the two instances. */
  who: fc.nat({ max: BROWSERS + 1 }),
  kind: fc.constantFrom(...KINDS),
  one: fc.nat(),
  other: fc.nat(),
  direction: fc.constantFrom("horizontal", "vertical"),
  position: fc.constantFrom("before", "after"),
});
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;
type Request = { method: string; path: string; body: object };

const pick = <T>(all: readonly T[], at: number): T | undefined => all[at % Math.max(1, all.length)];

/** The request of a client that sees this layout. */
function requestOf({ does, kind, one, other, direction, position }: Operation, { root }: Layout): Request | undefined {
  const leaves = leavesOf(root);
  const tabs = leaves.flatMap(({ tabs: each }) => each);
  const leaf = pick(leaves, one);
  const tab = pick(tabs, other);
  if (does === "open") return { method: "POST", path: "/tabs", body: { panelId: leaf?.id, panelType: kind } };
  if (does === "split" && tabs.length > 0 && leaves.length < 8) {
    return { method: "POST", path: "/splits", body: { panelId: leaf?.id, panelType: kind, direction, position } };
  }
  if (does === "resize" && root.type === "split") {
    return { method: "PATCH", path: "/splits", body: { splitId: root.id, ratio: 0.2 + (one % 60) / 100 } };
  }
  if (!tab || !leaf) return undefined;
  if (does === "close") return { method: "DELETE", path: "/tabs", body: { tabId: tab.id } };
  if (does === "show") return { method: "PATCH", path: "/tabs", body: { tabId: tab.id, active: true } };
  if (does === "rename")
    return { method: "PATCH", path: "/tabs", body: { tabId: tab.id, displayName: `Tab ${one % 9}` } };
  const beside = does === "beside" && leaves.length < 8 ? { direction, position } : {};
  return { method: "POST", path: "/moves", body: { tabId: tab.id, targetPanelId: leaf.id, ...beside } };
}

/** From the page itself, with its cookie. */
const fromPage = (page: Page, { method, path, body }: Request) =>
  page.evaluate(
    async ([verb, address, text]) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(address, { method: verb, headers, body: text });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    [method, path, JSON.stringify(body)] as const,
  );

/** Drags some tab somewhere. */
async function dragSomething(page: Page, at: number): Promise<void> {
  const boxes = await page
    .locator(".tab")
    .evaluateAll((tabs) =>
      tabs
        .map((each) => each.getBoundingClientRect())
        .map(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 })),
    );
  const from = pick(boxes as Point[], at);
  const to = pick(boxes as Point[], at + 1);
  if (!from || !to) return;
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y + (at % 2) * 150, { steps: 8 });
  await page.mouse.up();
}

export function testRandom(bench: () => BrowserBench): void {
  test(`${OPERATIONS} concurrent operations by ${BROWSERS} browsers and programs on both instances: all see the same tree, no tab is lost`, async () => {
    const { workspaces, windows } = bench();
    const drivers = driversOf(workspaces, REPO);
    const [driver] = drivers as [Driver];
    const seen: Visit[] = [];
    try {
      while (seen.length < BROWSERS) seen.push(await windows.show(seen.length, REPO));
      const open = new Set<string>();
      const send = async (who: number, request: Request) => {
        const whole = { ...request, path: `${driver.current}${request.path}` };
        const page = seen[who]?.page;
        const at = drivers[who % drivers.length] as Driver;
        const { status, body } = page
          ? await fromPage(page, whole)
          : await at.call(whole.method, whole.path, whole.body);
        assert.ok(status < 300 || TOO_LATE.includes(status), `${status} ${JSON.stringify([request, body])}`);
        if (status === 201) open.add(String(body.tabId));
        if (status === 200 && request.method === "DELETE") open.delete((request.body as { tabId: string }).tabId);
      };

      const operations = fc.array(operation, { minLength: OPERATIONS, maxLength: OPERATIONS });
      const law = fc.asyncProperty(operations, fc.scheduler(), async (all, scheduler) => {
        for (let from = 0; from < all.length; from += WAVE) {
          const layout = await driver.layout();
          const wave = all.slice(from, from + WAVE).flatMap((each) => {
            const request = requestOf(each, layout);
            if (!request) return [];
            return [
              scheduler.schedule(Promise.resolve(each.who), each.does).then((who) => ({ sent: send(who, request) })),
            ];
          });
          const hand = seen[(from / WAVE) % BROWSERS]?.page as Page;
          const dragged = from % (2 * WAVE) === 0 ? dragSomething(hand, from / WAVE) : undefined;
          await scheduler.waitIdle();
          await Promise.all([...(await Promise.all(wave)).map(({ sent }) => sent), dragged]);
        }
        const tabs = await driver.tabs();
        assert.deepEqual(new Set(tabs.map(({ tabId }) => tabId)), open, "the tabs opened and not closed");
        for (const kind of SINGLETONS) assert.ok(tabs.filter((each) => each.kind === kind).length <= 1, kind);
        // What was dropped last may still be on its way.
        await until(async () => {
          const [one, other] = await Promise.all(drivers.map((each) => each.layout()));
          return isDeepStrictEqual(one, other);
        }, "both instances have the same layout");
        for (const { page } of seen) await shows(page, driver);
      });
      const { SEED } = process.env;
      await fc.assert(law, { numRuns: 1, endOnFailure: true, ...(SEED === undefined ? {} : { seed: Number(SEED) }) });
      for (const { complaints } of seen) assert.deepEqual(complaints.filter(isUnexpected), []);
    } finally {
      // The next tests use two.
      await windows.close(2);
    }
  });
}

/** Calls that came too late are also logged to the console. */
const isUnexpected = (complaint: string): boolean => !/status of (404|409)/.test(complaint);
