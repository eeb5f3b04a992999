import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { openPanelsArea } from "./area.ts";
import { SQLITE } from "./workspaces/stages.suite.ts";
import { openStage } from "./workspaces/workspaces-under-test.suite.ts";

/** The whole area on a real socket. */
async function openArea(t: TestContext) {
  const { first, ends } = await openStage(t, SQLITE);
  const projectsFolder = mkdtempSync(join(tmpdir(), "panels-area-"));
  ends.push(async () => rmSync(projectsFolder, { recursive: true }));
  const dependencies = { ...first.dependencies, settings: { ...first.dependencies.settings, projectsFolder } };
  const area = await openPanelsArea(dependencies);
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    ...{ metrics: dependencies.metrics, now: dependencies.now, readiness: { checks: {}, isDraining: () => false } },
    ...{ trustProxy: [], overHttps: false, answerFirst: area.answerFirst },
  });
  await area.addRoutes(app);
  await app.listen({ host: "127.0.0.1", port: 0 });
  ends.push(async () => {
    await area.drain();
    await app.close();
    await area.close();
  });
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return async (who: string | undefined, method: string, path: string, body?: string, type = "application/json") => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { ...(who === undefined ? {} : { authorization: `Bearer ${who}` }), "content-type": type },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, code: text === "" ? undefined : (JSON.parse(text) as { code?: string }).code };
  };
}

const WORKSPACE = "/api/workspaces/editor/ada/rover";

test("missing or wrong key 401, whatever the body is; a key without the scope 403", async (t) => {
  const call = await openArea(t);
  const routes = [
    ["POST", `${WORKSPACE}/current/tabs`],
    ["PATCH", `${WORKSPACE}/current/splits`],
    ["POST", `${WORKSPACE}/current/moves`],
    ["PATCH", `${WORKSPACE}/current/screenshot`],
    ["POST", `${WORKSPACE}/current/log`],
    ["PUT", `${WORKSPACE}/current/files/a.txt`],
    ["PATCH", "/api/panels/webview/ada/rover"],
    ["PATCH", "/api/panels/sandbox/ada/rover"],
  ] as const;
  for (const [method, path] of routes) {
    for (const body of ["{}", "{", "[]", '{"action":"explode"}']) {
      assert.deepEqual(await call(undefined, method, path, body), { status: 401, code: "not-signed-in" }, path);
      assert.deepEqual(await call("ada/read", method, path, body), { status: 403, code: "scope-missing" }, path);
    }
  }
  assert.equal((await call(undefined, "GET", "/api/panels/catalog")).status, 200, "the catalog is public");
});

test("a body that is not JSON is 415; an empty one counts as no body where none is needed", async (t) => {
  const call = await openArea(t);
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/tabs`, '{"panelType":"sandbox"}')).status, 201);
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    const refused = await call("ada", "POST", `${WORKSPACE}/current/tabs`, '{"panelType":"sandbox"}', type);
    assert.deepEqual(refused, { status: 415, code: "unsupported-media-type" });
  }
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/tabs`, "")).status, 422);
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/tabs`, "{")).status, 400);
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/ticket`, "")).status, 201);
  assert.equal((await call("ada", "POST", `${WORKSPACE}/current/undo`, "")).status, 200);
  assert.equal((await call("ada", "DELETE", WORKSPACE, "")).status, 204);
});
