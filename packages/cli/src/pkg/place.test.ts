import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRefusal } from "../connect/refusal.ts";
import type { PkgOptions } from "./options.ts";
import { placeOf } from "./place.ts";

const place = (options: PkgOptions = {}, env: NodeJS.ProcessEnv = {}, platform: NodeJS.Platform = "linux") => {
  const found = placeOf({ env, cwd: () => "/work", platform }, options);
  assert.ok(!isRefusal(found));
  return found;
};

test("packages go to the account's own folder, for a tool that is told to be assumed", () => {
  assert.deepEqual(place(), {
    root: join(homedir(), ".backplane", "packages"),
    brand: "tool",
    tool: { version: "9.0", platform: "linux", runtimes: ["swig", "ipc"] },
    isToolGiven: false,
  });
});

test("options come before the environment, the environment before what the folder says", () => {
  const root = "/home/ada/.local/share/kicad/8.0/3rdparty";
  const own = place({ root });
  assert.deepEqual([own.root, own.brand, own.tool.version, own.isToolGiven], [root, "kicad", "8.0", true]);
  const env = { BACKPLANE_PKG_ROOT: root, BACKPLANE_PKG_TOOL: "8.0.4", BACKPLANE_PKG_BRAND: "bench" };
  assert.deepEqual([place({}, env).brand, place({}, env).tool.version], ["bench", "8.0.4"]);
  const given = place({ root: "here", brand: "tool", tool: "7", platform: "macos", runtime: ["ipc"] }, env);
  assert.deepEqual(given, {
    root: "/work/here",
    brand: "tool",
    tool: { version: "7", platform: "macos", runtimes: ["ipc"] },
    isToolGiven: true,
  });
  assert.equal(place({}, { BACKPLANE_PKG_TOOL: "", BACKPLANE_PKG_BRAND: "" }).tool.version, "9.0");
});

test("the platform is this machine's", () => {
  assert.equal(place({}, {}, "win32").tool.platform, "windows");
  assert.equal(place({}, {}, "darwin").tool.platform, "macos");
});

test("what is no brand, version, platform or runtime is refused with an example", () => {
  for (const [options, code] of [
    [{ brand: "KiCad" }, "bad-brand"],
    [{ tool: "9.0-rc1" }, "bad-tool"],
    [{ tool: "" }, "bad-tool"],
    [{ platform: "beos" }, "bad-platform"],
    [{ runtime: ["ipc", "cgi"] }, "bad-runtime"],
  ] as const) {
    const found = placeOf({ env: {}, cwd: () => "/", platform: "linux" }, options as PkgOptions);
    assert.ok(isRefusal(found));
    assert.deepEqual([found.code, found.exit], [code, 2]);
    assert.match(found.message, /\nUse /);
  }
});
