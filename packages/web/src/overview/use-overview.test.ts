import assert from "node:assert/strict";
import { test } from "node:test";
import type { Overview } from "@backplane/contract/platform";
import { stateAfter } from "./use-overview.ts";

const now = new Date(0);
const overview = { running: true, processes: [] } as unknown as Overview;
const told = (value: Overview | { running: true }) => ({ ok: true, value, serverTimeMs: undefined }) as const;
const failed = (status: number, title: string) =>
  ({ ok: false, fault: { status, title, code: "x", detail: undefined, errors: [], retryAfterS: undefined } }) as const;

test("a person who is not signed in learns that it runs; after signing in, the rest", () => {
  const stranger = stateAfter({ silent: false }, told({ running: true }), now);
  assert.deepEqual(stranger, { answeredAt: now, silent: false, isStranger: true });
  assert.deepEqual(stateAfter(stranger, told(overview), now), { answeredAt: now, silent: false, overview });
});

test("a problem is shown beside what was known; without an answer the platform counts as silent", () => {
  const known = { overview, answeredAt: now, silent: false };
  const problem = stateAfter(known, failed(503, "The database does not answer"), now);
  assert.deepEqual(problem, { ...known, problem: "The database does not answer" });
  assert.deepEqual(stateAfter(known, failed(0, ""), now), { ...known, silent: true });
});
