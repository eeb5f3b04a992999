import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { Problem } from "@backplane/kit/problems";
import { serveScreenshots } from "./screenshot-routes.ts";

const AT_ONCE_AND_WAITING = 204;

test("only so many requests wait for a screenshot: further ones are told to come back", async () => {
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    metrics: createMetrics("test"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
    onlyDeclaredProblems: true,
  });
  const busy = Promise.withResolvers<never>();
  serveScreenshots(app, { findPackage: () => busy.promise, blobs: {} as never });
  const ask = () => app.inject(`/registry/packages/org.example.one/screenshots/${"a".repeat(64)}.png`);
  await app.ready();
  const asked = Array.from({ length: AT_ONCE_AND_WAITING + 1 }, ask);
  const refused = await Promise.race(asked);
  assert.deepEqual([refused.statusCode, refused.json().code], [429, "too-many-requests"]);
  assert.equal(refused.headers["retry-after"], "1");
  busy.reject(new Problem("package-unknown"));
  const statuses = (await Promise.all(asked)).map(({ statusCode }) => statusCode);
  assert.equal(statuses.filter((status) => status === 404).length, AT_ONCE_AND_WAITING);
  await app.close();
});
