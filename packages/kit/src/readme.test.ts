import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readSettings, SETTING_NAMES } from "./settings.ts";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

test("the README's table lists every setting, and nothing else", () => {
  const section = /## Settings([\s\S]*?)\n## /.exec(README)?.[1] ?? "";
  const listed = [...section.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name);
  assert.deepEqual(listed, [...SETTING_NAMES]);
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
