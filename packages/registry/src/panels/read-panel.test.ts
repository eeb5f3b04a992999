import assert from "node:assert/strict";
import { test } from "node:test";
import { PANEL_PACKAGE_LIMITS } from "@backplane/contract/panels";
import { sampleArchive } from "../archives/samples.suite.ts";
import { readPanel } from "./read-panel.ts";
import { unpackPanel } from "./unpack-panel.ts";

const PANEL = {
  ...{ sdk: "1", name: "gauge", title: "Gauge", entry: "index.js" },
  wants: { read: ["temperature"], control: ["motor"], files: ["read:data/**"] },
  tools: [{ name: "peak", description: "The highest value", input: { type: "object" } }],
};
const FILES = ["panel.json", "index.js", "style.css"].map((file) => ({ path: `plugins/panel/${file}`, size: 10 }));

const PATTERN = "/stateSchema/properties/a/pattern";

const faultsOf = (changed: object, files = FILES): string[] => {
  const read = readPanel(JSON.stringify({ ...PANEL, ...changed }), files);
  return "faults" in read ? read.faults.map(({ pointer, message }) => `${pointer} ${message}`) : [];
};

test("a panel is read with what it wants; what it leaves out is nothing", () => {
  const read = readPanel(JSON.stringify(PANEL), FILES);
  assert.ok("panel" in read);
  assert.deepEqual(read.panel.wants, {
    ...{ read: ["temperature"], control: ["motor"], files: ["read:data/**"], tools: ["peak"] },
  });
  const least = readPanel(JSON.stringify({ sdk: "1", name: "a", title: "A", entry: "index.js" }), FILES);
  assert.ok("panel" in least);
  assert.deepEqual(least.panel.wants, { read: [], control: [], files: [], tools: [] });
  assert.equal(least.panel.category, "Utility");
  const runs = readPanel(JSON.stringify({ ...PANEL, wants: { read: ["imu"], eval: true } }), FILES);
  assert.ok("panel" in runs);
  assert.deepEqual(runs.panel.wants, { read: ["imu"], control: [], files: [], tools: ["peak"], eval: true });
  assert.equal("singleton" in least.panel || "stateSchema" in least.panel, false);
  const more = { singleton: true, stateSchema: { type: "object", properties: { zoom: { type: "number" } } } };
  const full = readPanel(JSON.stringify({ ...PANEL, ...more }), FILES);
  assert.ok("panel" in full);
  assert.deepEqual([full.panel.singleton, full.panel.stateSchema], [true, more.stateSchema]);
});

test("every fault of panel.json names its field", () => {
  for (const [changed, pointer] of [
    [{ sdk: 1 }, "/sdk"],
    [{ name: "Heat map" }, "/name"],
    [{ name: undefined }, "/name"],
    [{ title: "" }, "/title"],
    [{ title: "a\nb" }, "/title"],
    [{ title: "x".repeat(61) }, "/title"],
    [{ description: 4 }, "/description"],
    [{ category: "Games" }, "/category"],
    [{ entry: "../main.js" }, "/entry"],
    [{ entry: "gone.js" }, "/entry"],
    [{ entry: "style.css" }, "/entry"],
    [{ entry: 'index.js"><script>' }, "/entry"],
    [{ style: "index.js" }, "/style"],
    [{ wants: [] }, "/wants"],
    [{ wants: { network: ["*"] } }, "/wants/network"],
    [{ wants: { eval: "yes" } }, "/wants/eval"],
    [{ wants: { eval: true, control: ["motor"] } }, "/wants/eval"],
    [{ wants: { read: "imu" } }, "/wants/read"],
    [{ wants: { read: ["IMU"] } }, "/wants/read/0"],
    [{ wants: { control: ["*"] } }, "/wants/control/0"],
    [{ wants: { files: ["read:../secret"] } }, "/wants/files/0"],
    [{ wants: { files: ["read:/etc"] } }, "/wants/files/0"],
    [{ wants: { files: ["delete:data"] } }, "/wants/files/0"],
    [{ tools: {} }, "/tools"],
    [{ tools: [{ name: "Peak", description: "x" }] }, "/tools/0/name"],
    [{ tools: [{ name: "peak" }] }, "/tools/0/description"],
    [{ tools: [{ name: "peak", description: "x", input: 3 }] }, "/tools/0/input"],
    [{ tools: [...PANEL.tools, ...PANEL.tools] }, "/tools/1/name"],
    [{ singleton: "yes" }, "/singleton"],
    [{ stateSchema: { type: "array" } }, "/stateSchema/type"],
    [{ stateSchema: { type: "object", properties: { a: { type: "string", pattern: "(a+)+" } } } }, PATTERN],
    [{ netwrok: 1 }, "/netwrok"],
  ] as const) {
    const faults = faultsOf(changed);
    assert.equal(faults.length, 1, `${JSON.stringify(changed)}: ${faults.join("; ")}`);
    assert.ok(faults[0]?.startsWith(`${pointer} `), faults[0]);
  }
  assert.match(faultsOf({}, [...FILES, { path: "plugins/panel/x.js", size: 5e6 }])[0] ?? "", /bytes/);
  for (const text of ["", "{", "[]", "null", `"${"x".repeat(PANEL_PACKAGE_LIMITS.maxManifestBytes)}"`]) {
    assert.ok("faults" in readPanel(text, FILES), text.slice(0, 10));
  }
});

test("a panel is unpacked from its archive with its own files only", async () => {
  const files = {
    "plugins/panel/panel.json": JSON.stringify(PANEL),
    "plugins/panel/index.js": "export {};",
    "plugins/other.py": "print()",
  };
  const unpacked = await unpackPanel(sampleArchive({ files }), ["tool"]);
  assert.ok("files" in unpacked, JSON.stringify(unpacked));
  assert.deepEqual([...unpacked.files.keys()].sort(), ["index.js", "panel.json"]);
  assert.equal(unpacked.files.get("index.js")?.toString(), "export {};");
  for (const archive of [
    sampleArchive(),
    Buffer.from("no zip"),
    sampleArchive({ files, metadata: { type: "library" } }),
  ]) {
    assert.ok("faults" in (await unpackPanel(archive, ["tool"])));
  }
});
