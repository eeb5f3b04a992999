import assert from "node:assert/strict";
import { test } from "node:test";
import { PANEL_CATEGORIES } from "@backplane/contract/panels";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { createCatalog } from "./catalog.ts";
import { serveCatalog } from "./routes.ts";

test("GET /api/panels/catalog lists every panel with all its fields", async (t) => {
  const app = await createApp({
    log: createLog({ process: "test", level: "fatal", destination: { write: () => {} } }),
    ...{ metrics: createMetrics("test"), now: Date.now, readiness: { checks: {}, isDraining: () => false } },
    ...{ trustProxy: [], overHttps: false },
  });
  t.after(() => app.close());
  const { panels } = createCatalog({ "acme/page": "webview" });
  serveCatalog(app, { panels });
  const response = await app.inject("/api/panels/catalog");
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json(), { categories: [...PANEL_CATEGORIES], panels });
  assert.ok(panels.find(({ kind }) => kind === "webview")?.aliases.includes("acme/page"));
});
