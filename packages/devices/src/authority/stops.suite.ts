import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { migrations } from "../migrations.ts";
import type { DevicesTables } from "../tables.ts";
import { createStops } from "./stops.ts";

type Stage = { name: string; prepare?: () => Promise<AsyncDisposable & { url: string }> };

/** What another instance finds. */
export function stopLaws({ name, prepare }: Stage): void {
  describe(`written stops, ${name}`, () => {
    test("the last stop is found until it is cleared, and clearing one never clears a later one", async (t) => {
      const home = mkdtempSync(join(tmpdir(), "stops-"));
      const server = await prepare?.();
      const database = await openDatabase<DevicesTables>({ url: server?.url, home, onLostConnection: () => {} });
      t.after(async () => {
        await database.close();
        await server?.[Symbol.asyncDispose]();
        rmSync(home, { recursive: true });
      });
      await migrate(database as Database<unknown>, migrations, () => 1);
      const stops = createStops(database);
      assert.equal(await stops.read("a"), undefined);
      await stops.write("a", { by: "Ada", atMs: 10 });
      await stops.write("a", { by: "Eve", atMs: 20 });
      await stops.write("a", { by: "late", atMs: 15 });
      await stops.write("b", { by: "Ada", atMs: 5 });
      assert.deepEqual(await stops.read("a"), { by: "Eve", atMs: 20 });
      await stops.clear("a", 10);
      assert.deepEqual(await stops.read("a"), { by: "Eve", atMs: 20 });
      await stops.clear("a", 20);
      assert.equal(await stops.read("a"), undefined);
      assert.deepEqual(await stops.read("b"), { by: "Ada", atMs: 5 });
      await stops.remove("b");
      assert.equal(await stops.read("b"), undefined);
    });
  });
}
