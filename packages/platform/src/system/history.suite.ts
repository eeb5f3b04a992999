import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenTestDatabase } from "../open-databases.suite.ts";
import { openHistory } from "./history.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function testHistory(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: the slowest answer and the last sizes of each day are kept for 30 days, for all instances together`, async (t) => {
    const connect = await open(t);
    let nowMs = Date.parse("2026-10-01T12:20:00Z");
    /** As an instance that starts, measures once and stops. */
    const measure = async (answerMs: number, databaseBytes: number) => {
      const measured = { answerMs, databaseBytes, archiveBytes: 7, fileBytes: 8 };
      const onFault = (error: unknown) => assert.fail(String(error));
      const history = openHistory({
        ...{ database: await connect(), now: () => nowMs, onFault },
        measure: async () => measured,
      });
      await history.close();
      return history;
    };
    await measure(3.5, 100);
    await measure(184.2, 110);
    await measure(0.4, 120);
    nowMs += HOUR_MS;
    const history = await measure(2, 130);
    const first = { day: "2026-10-01", slowestMs: 184.2, databaseBytes: 130, archiveBytes: 7, fileBytes: 8 };
    assert.deepEqual(await history.read(), [first]);
    nowMs += 29 * DAY_MS;
    await measure(1, 900);
    assert.deepEqual(
      (await history.read()).map(({ day, databaseBytes }) => [day, databaseBytes]),
      [
        ["2026-10-01", 130],
        ["2026-10-30", 900],
      ],
    );
    nowMs += 3 * DAY_MS;
    await measure(1, 950);
    const rows = await (await connect()).shortLived.selectFrom("system_hours").select("hour_ms").execute();
    assert.equal(rows.length, 2, "older rows are removed");
  });
}
