import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readSettings, SETTING_NAMES } from "./settings.ts";
import { VERSION } from "./version.ts";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

test("the README's table lists every setting, and nothing else", () => {
  const section = /## Settings([\s\S]*?)\n## /.exec(README)?.[1] ?? "";
  const listed = [...section.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name);
  assert.deepEqual(listed, [...SETTING_NAMES]);
});

test("every package, the lock file, the README and the client for Python state one version", () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version: string }> };
  const own = Object.entries(packages).filter(([path]) => /^(packages\/[^/]+)?$/.test(path));
  assert.ok(own.length > 10);
  for (const [path, { version }] of own) {
    const manifest = JSON.parse(read(`${path || "."}/package.json`)) as { version: string };
    assert.deepEqual([manifest.version, version], [VERSION, VERSION], path);
  }
  for (const path of [
    "packages/sdk/src/request.ts",
    "clients/python/pyproject.toml",
    "clients/python/backplane/calls.py",
  ])
    assert.ok(read(path).includes(VERSION), path);
  assert.ok(README.includes(`**Version ${VERSION}.**`) && README.includes(`backplane-${VERSION}.tgz`));
  assert.match(read("CHANGELOG.md"), new RegExp(`^## ${VERSION.replaceAll(".", "\\.")}\\b`, "m"));
});

test("the README's ports are the default ones", () => {
  const { platformPort, gatewayPort, watchdogPort, viewerPort } = readSettings({}, "/");
  for (const [name, port] of Object.entries({
    platform: platformPort,
    gateway: gatewayPort,
    watchdog: watchdogPort,
    viewer: viewerPort,
  })) {
    assert.match(README, new RegExp(`^\\| ${port} \\| ${name} \\|`, "m"));
  }
});
