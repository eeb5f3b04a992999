import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRefusal } from "../refusal.ts";
import type { PkgOptions } from "./place.ts";
import { placeOf } from "./place.ts";

const place = (options: PkgOptions = {}, env: NodeJS.ProcessEnv = {}, platform: NodeJS.Platform = "linux") => {
  const found = placeOf({ env, cwd: () => "/projects", platform }, options);
  assert.ok(!isRefusal(found));
  return found;
};

test("by default packages go to the account's own folder, for an assumed tool", () => {
  assert.deepEqual(place(), {
    root: join(homedir(), ".backplane", "packages"),
    brand: "tool",
    tool: { version: "9.0", platform: "linux", runtimes: ["swig", "ipc"] },
    isToolGiven: false,
  });
});

test("options win over the environment, and the environment over the folder", () => {
  const root = "/home/ada/.local/share/kicad/8.0/3rdparty";
  const own = place({ root });
  assert.deepEqual([own.root, own.brand, own.tool.version, own.isToolGiven], [root, "kicad", "8.0", true]);
  const env = { BACKPLANE_PKG_ROOT: root, BACKPLANE_PKG_TOOL: "8.0.4", BACKPLANE_PKG_BRAND: "bench" };
  assert.deepEqual([place({}, env).brand, place({}, env).tool.version], ["bench", "8.0.4"]);
  const given = place({ root: "here", brand: "tool", tool: "7", platform: "macos", runtime: ["ipc"] }, env);
  assert.deepEqual(given, {
    root: "/projects/here",
    brand: "tool",
    tool: { version: "7", platform: "macos", runtimes: ["ipc"] },
    isToolGiven: true,
  });
  assert.equal(place({}, { BACKPLANE_PKG_TOOL: "", BACKPLANE_PKG_BRAND: "" }).tool.version, "9.0");
});

const stateFile = (
  root: string,
  { platform = "linux", env = {}, settings }: { platform?: NodeJS.Platform; env?: NodeJS.ProcessEnv; settings: string },
) => {
  const home = platform === "win32" ? "C:\\Users\\ada" : platform === "darwin" ? "/Users/ada" : "/home/ada";
  const found = placeOf({ env, cwd: () => home, platform }, { root }, { home, exists: (path) => path === settings });
  assert.ok(!isRefusal(found));
  return [found.brand, found.tool.version, found.stateFile];
};

test("for the tool's own folder, the tool's own list of installed packages is used", () => {
  const root = "/home/ada/.local/share/kicad/6.0/3rdparty";
  const settings = "/home/ada/.config/kicad/6.0";
  assert.deepEqual(stateFile(root, { settings }), ["kicad", "6.0", `${settings}/installed_packages.json`]);
  assert.equal(stateFile(`${root}/`, { settings })[2], `${settings}/installed_packages.json`);
  assert.equal(
    stateFile("/home/ada/.local/share/bench/1.0/3rdparty", { settings: "/home/ada/.config/bench/1.0" })[0],
    "bench",
  );
  const env = { XDG_CONFIG_HOME: "/etc/ada" };
  assert.equal(
    stateFile(root, { env, settings: "/etc/ada/kicad/6.0" })[2],
    "/etc/ada/kicad/6.0/installed_packages.json",
  );
  const both = { ...env, KICAD_CONFIG_HOME: "/srv/settings" };
  assert.equal(
    stateFile(root, { env: both, settings: "/srv/settings/6.0" })[2],
    "/srv/settings/6.0/installed_packages.json",
  );
  assert.equal(stateFile(root, { env: both, settings: "/etc/ada/kicad/6.0" })[2], undefined);
});

test("also if the tool writes its name in capitals, and in a sandbox", () => {
  const mac = "/Users/ada/Library/Preferences/kicad/8.0";
  assert.deepEqual(stateFile("/Users/ada/Documents/KiCad/8.0/3rdparty", { platform: "darwin", settings: mac }), [
    "kicad",
    "8.0",
    `${mac}/installed_packages.json`,
  ]);
  const roaming = "C:\\Users\\ada\\AppData\\Roaming";
  for (const env of [{}, { APPDATA: roaming }]) {
    const settings = `${roaming}\\kicad\\9.0`;
    assert.deepEqual(stateFile("D:\\Documents\\KiCad\\9.0\\3rdparty", { platform: "win32", env, settings }), [
      "kicad",
      "9.0",
      `${settings}\\installed_packages.json`,
    ]);
  }
  const sandbox = "/home/ada/.var/app/org.kicad.KiCad";
  const settings = `${sandbox}/config/kicad/9.0`;
  assert.equal(stateFile(`${sandbox}/data/kicad/9.0/3rdparty`, { settings })[2], `${settings}/installed_packages.json`);
});

test("without such settings, or for a folder that is not this account's, the list is in the root", () => {
  const settings = "/home/ada/.config/kicad/9.0";
  assert.equal(stateFile("/home/ada/.local/share/kicad/8.0/3rdparty", { settings })[2], undefined);
  assert.equal(stateFile("/home/ada/packages", { settings })[2], undefined);
  const elsewhere = "/tmp/try/kicad/9.0/3rdparty";
  assert.deepEqual(stateFile(elsewhere, { settings }), ["kicad", "9.0", undefined]);
  assert.equal(stateFile("/home/adams/kicad/9.0/3rdparty", { settings })[2], undefined);
  for (const env of [
    { KICAD9_3RD_PARTY: elsewhere },
    { KICAD_DOCUMENTS_HOME: "/tmp/try/kicad" },
    { XDG_DATA_HOME: "/tmp/try" },
  ]) {
    assert.equal(stateFile(elsewhere, { env, settings })[2], `${settings}/installed_packages.json`);
  }
});

test("the default platform is this machine's", () => {
  assert.equal(place({}, {}, "win32").tool.platform, "windows");
  assert.equal(place({}, {}, "darwin").tool.platform, "macos");
});

test("an invalid brand, version, platform or runtime is refused with an example", () => {
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
