import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { CATALOG, createCatalog, findPanel } from "./catalog.ts";
import { checkState } from "./panel-state.ts";

/** As the contract writes its members, in its order. */
const MEMBERS = {
  Development: "code-editor, schematic-editor, script-runner",
  Control: "motor, led, servo, drone, speed-controller, lights, workcell-power, gpio",
  Visualization:
    "3d-viewer, board-viewer, imu, time-of-flight, ultrasonic, line-follower, temperature-graph, chip-data, " +
    "chip-statistics, oven-data, pressure-temperature, ultra-wideband, sensor-monitor",
  Media: "live-stream, webrtc-player, zoom-camera",
  Utility: "system-log, robot-log, battery-charger, curriculum, webview, sandbox",
};

test("Panel categories and members: every one that the contract names exists", () => {
  const found = Object.groupBy(CATALOG, ({ category }) => category);
  const kinds = Object.entries(found).map(([category, panels]) => [
    category,
    panels?.map(({ kind }) => kind).join(", "),
  ]);
  assert.deepEqual(Object.fromEntries(kinds), MEMBERS);
});

test("Panel identifier in catalog form: <owner>/<panel_uuid>", () => {
  const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
  for (const { identifier } of CATALOG) assert.match(identifier, new RegExp(`^backplane/${uuid}$`));
  assert.equal(new Set(CATALOG.map(({ identifier }) => identifier)).size, CATALOG.length);
  for (const panel of CATALOG) {
    assert.equal(findPanel(panel.identifier), panel);
    assert.equal(findPanel(panel.kind), panel);
  }
  assert.equal(findPanel("constructor"), undefined);
});

test("programs of other systems name panels by aliases, and PANEL_ALIASES adds more", () => {
  const { find, panels } = createCatalog({ "acme/page": "webview" });
  assert.equal(find("adom/a1b2c3d4-0031-4000-a000-000000000031")?.kind, "webview");
  assert.equal(find("adom/a1b2c3d4-eeee-4000-a000-00000000000e")?.kind, "code-editor");
  assert.equal(find("acme/page")?.identifier, findPanel("webview")?.identifier);
  assert.equal(find("acme/other"), undefined);
  assert.equal(find("constructor"), undefined);
  const names = panels.flatMap(({ identifier, kind, aliases }) => [identifier, kind, ...aliases]);
  assert.equal(new Set(names).size, names.length, "each name means one panel");
  assert.throws(() => createCatalog({ "acme/page": "website" }), /PANEL_ALIASES.*"website"/);
  assert.throws(() => createCatalog({ [findPanel("sandbox")?.identifier ?? ""]: "webview" }), /own name/);
});

test("Singleton panels: the 3D viewer and the schematic editor, and no others", () => {
  const singletons = CATALOG.filter(({ singleton }) => singleton).map(({ kind }) => kind);
  assert.deepEqual(singletons.sort(), ["3d-viewer", "schematic-editor"]);
});

function faultIn(kind: string, state: JsonObject): string | undefined {
  const panel = findPanel(kind);
  assert.ok(panel);
  try {
    assert.equal(checkState(panel, state), state);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === "invalid-input");
    assert.equal(error.status, 422);
    return error.errors?.[0]?.pointer;
  }
}

test("initialState holding a url pre-loads a web view: http and https only, with no password in it", () => {
  for (const url of ["https://example.org", "http://localhost:3000/a?b#c", "HTTPS://EXAMPLE.ORG", "http://[::1]/"]) {
    assert.equal(faultIn("webview", { url }), undefined, url);
  }
  const bad = [
    "example.org",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "about:blank",
    "//x",
    "",
  ];
  for (const url of [
    ...bad,
    "https://me:secret@example.org",
    "https://me@example.org",
    `https://${"x".repeat(5_000)}`,
  ]) {
    assert.equal(faultIn("webview", { url }), "/initialState/url", url);
  }
});

test("a state must match the panel's schema, and every fault names its field", () => {
  for (const { kind } of CATALOG) assert.equal(faultIn(kind, {}), undefined, kind);
  assert.equal(faultIn("code-editor", { path: "src/main.py", line: 3 }), undefined);
  assert.equal(faultIn("code-editor", { path: "src/main.py", line: "3" }), "/initialState/line");
  assert.equal(faultIn("sandbox", { code: "1" }), "/initialState/code");
  assert.equal(faultIn("motor", { speed: 1 }), "/initialState/speed");
  assert.equal(faultIn("system-log", { level: "loud" }), "/initialState/level");
});
