import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { PANEL_CATEGORIES } from "@backplane/contract/panels";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { createCatalog } from "./catalog.ts";
import { serveCatalog } from "./routes.ts";

async function openApp(t: TestContext) {
  const app = await createApp({
    log: createLog({ process: "test", level: "fatal", destination: { write: () => {} } }),
    ...{ metrics: createMetrics("test"), now: Date.now, readiness: { checks: {}, isDraining: () => false } },
    ...{ trustProxy: [], overHttps: false },
  });
  t.after(() => app.close());
  const { panels } = createCatalog({ "acme/page": "webview" });
  serveCatalog(app, { panels });
  return { app, panels };
}

test("GET /api/panels/catalog lists every panel with all its fields", async (t) => {
  const { app, panels } = await openApp(t);
  const response = await app.inject("/api/panels/catalog");
  assert.equal(response.statusCode, 200);
  const { packagePanel, ...answer } = response.json();
  assert.deepEqual(answer, { categories: [...PANEL_CATEGORIES], panels });
  assert.equal(packagePanel.kind, "package");
  assert.ok(panels.find(({ kind }) => kind === "webview")?.aliases.includes("acme/page"));
});

test("GET /api/panels/icons/mdi/{name} has the drawing of an icon, and 404 for one that does not exist", async (t) => {
  const { app } = await openApp(t);
  const ask = async (name: string) => app.inject(`/api/panels/icons/mdi/${name}`);
  for (const name of ["chip", "numeric-1-box", "access-point-network-off"]) {
    const response = await ask(name);
    assert.equal(response.statusCode, 200, name);
    assert.match(response.json().path, /^M[-\d.,A-Za-z ]+$/, name);
  }
  for (const name of ["no-such-icon", "default", "--proto--"]) assert.equal((await ask(name)).statusCode, 404, name);
  assert.equal((await ask("Chip%2F..")).statusCode, 400);
});
