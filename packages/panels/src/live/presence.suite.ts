import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PresentBrowser } from "../services.ts";
import { NOT_SHARING, type Presence } from "./presence.ts";

/** What the laws are checked on. */
export interface PresenceUnderTest extends AsyncDisposable {
  /** As another instance would make it (the same again when it lives in one process). */
  presence(options: { lifeMs: number; max: number }): Presence;
  /** Moves the clock if it can be moved. Where it cannot, tests wait for what they expect. */
  advance(ms: number): void;
  until(what: string, condition: () => Promise<boolean>): Promise<void>;
}

const LONG = { lifeMs: 600_000, max: 50 };
const SHARING = { active: true, displaySurface: "browser" } as const;

const browser = (browserId: string, since: number, sharing: PresentBrowser["sharing"] = NOT_SHARING) => ({
  browserId,
  since,
  sharing,
});
const ids = (browsers: readonly PresentBrowser[]) => browsers.map(({ browserId }) => browserId);

/** The laws of `presence.ts`, on any engine. */
export function presenceLaws(engine: string, open: () => Promise<PresenceUnderTest>): void {
  describe(`presence, ${engine}`, () => {
    test("a browser that beats is listed by every instance, the one that has been there longest first", async () => {
      await using under = await open();
      const [one, other] = [under.presence(LONG), under.presence(LONG)];
      await one.beat("w", [browser("late", 30)]);
      await other.beat("w", [browser("early", 10), browser("b", 20), browser("a", 20)]);
      assert.deepEqual(ids(await one.list("w")), ["early", "a", "b", "late"]);
      assert.deepEqual(await one.list("w"), await other.list("w"));
      assert.deepEqual(await one.list("another"), []);
    });

    test("a beat returns all browsers, and updates the entry of its own", async () => {
      await using under = await open();
      const presence = under.presence(LONG);
      await presence.beat("w", [browser("a", 1)]);
      assert.deepEqual(await presence.beat("w", [browser("b", 2, SHARING)]), [
        browser("a", 1),
        browser("b", 2, SHARING),
      ]);
      await presence.beat("w", [browser("b", 2)]);
      assert.deepEqual((await presence.list("w"))[1], browser("b", 2));
    });

    test("a browser that leaves is gone at once, and leaving twice is harmless", async () => {
      await using under = await open();
      const presence = under.presence(LONG);
      await presence.beat("w", [browser("a", 1), browser("b", 2)]);
      await presence.leave("w", "a");
      await presence.leave("w", "a");
      assert.deepEqual(ids(await presence.list("w")), ["b"]);
    });

    test("a browser that stops beating is gone when its time is over; others stay", async () => {
      await using under = await open();
      const lifeMs = 2_000;
      const [gone, stays] = [under.presence({ lifeMs, max: 50 }), under.presence(LONG)];
      await gone.beat("w", [browser("dead", 1)]);
      await stays.beat("w", [browser("alive", 2)]);
      assert.deepEqual(ids(await stays.list("w")), ["dead", "alive"]);
      under.advance(lifeMs);
      await under.until("the dead one is gone", async () => ids(await stays.list("w")).join() === "alive");
    });

    test("when 60 browsers come at once, exactly the limit is admitted; one that leaves makes room", async () => {
      await using under = await open();
      const [one, other] = [under.presence({ ...LONG, max: 5 }), under.presence({ ...LONG, max: 5 })];
      const lists = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const own = `browser-${i}`;
          return ids(await (i % 2 ? one : other).beat("w", [browser(own, i)])).includes(own);
        }),
      );
      assert.equal(lists.filter(Boolean).length, 5);
      const present = await one.list("w");
      assert.equal(present.length, 5);
      // A browser that was admitted stays.
      assert.equal((await one.beat("w", present)).length, 5);
      await one.leave("w", present[0]?.browserId ?? "");
      assert.ok(ids(await other.beat("w", [browser("next", 99)])).includes("next"));
    });
  });
}
