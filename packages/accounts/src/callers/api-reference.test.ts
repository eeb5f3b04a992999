import assert from "node:assert/strict";
import { test } from "node:test";
import { openFreshSqlite } from "./open-sqlite.suite.ts";
import { openTables, startSite } from "./site.suite.ts";

test("every route for signing in, sessions and keys has a tag, a summary and its answer in the API reference", async (t) => {
  const { call } = await startSite(await openTables(t, openFreshSqlite));
  type Operation = { tags?: string[]; summary?: string; responses?: Record<string, unknown> };
  const { paths } = (await call("GET", "/openapi.json")).json() as { paths: Record<string, Record<string, Operation>> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, ...operation })),
  );
  const ours = routes.filter(({ route }) => /\/(auth|user)\b/.test(route));
  assert.deepEqual(ours.map(({ route }) => route).sort(), [
    "delete /auth/api-keys/{id}",
    "delete /auth/logout",
    "delete /auth/sessions",
    "delete /auth/sessions/{id}",
    "get /auth/api-keys",
    "get /auth/sessions",
    "get /user",
    "patch /auth/sessions/{id}",
    "post /auth/api-keys",
    "post /auth/login",
    "post /auth/logout",
  ]);
  for (const { route, tags, summary, responses } of ours) {
    assert.ok(tags?.length === 1 && summary, route);
    const successes = Object.keys(responses ?? {}).filter((status) => status.startsWith("2"));
    assert.match(successes.join(), /^20[014]$/, route);
  }
});
