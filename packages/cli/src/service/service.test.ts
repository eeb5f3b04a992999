import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { EXIT } from "@backplane/contract/problems";
import { loadSettings } from "@backplane/kit/settings";
import { findCommand, systemd } from "../../../../scripts/services/find-or-install.ts";
import { runLineHere } from "../run-here.suite.ts";
import { SETTINGS_FILE, SETTINGS_LINK, UNITS, USER_FILE } from "./places.ts";

/** The promised limit of `systemd-analyze security`, from 0 (safe) to 10. */
const MAX_EXPOSURE = 3.0;

/** An empty system in a folder. */
function openRoot(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "service-"));
  t.after(() => rmSync(root, { recursive: true }));
  return {
    at: (name: string) => join(root, name),
    service: async (...args: string[]) => {
      const { status, stdout, stderr } = await runLineHere({ cwd: root, env: {} }, [
        "service",
        ...args,
        "--root",
        root,
        "--json",
      ]);
      assert.equal(status, 0, stdout + stderr);
      const { steps, next } = JSON.parse(stdout) as { steps: { what: string; did: string }[]; next: string[] };
      return { next, did: Object.fromEntries(steps.map(({ what, did }) => [what, did])) };
    },
  };
}

test("links of an image lead neither install nor remove out of it", async (t) => {
  const [image, machine] = [openRoot(t), openRoot(t)];
  mkdirSync(machine.at("lib/backplane"), { recursive: true });
  writeFileSync(machine.at("lib/backplane/backplane.db"), "precious");
  symlinkSync(machine.at(""), image.at("var"));
  symlinkSync(machine.at(""), image.at("etc"));
  for (const words of [["install"], ["remove", "--purge", "--yes"]]) {
    const line = ["service", ...words, "--root", image.at("")];
    const { status, stderr } = await runLineHere({ cwd: image.at(""), env: {} }, line);
    assert.equal(status, EXIT.refused, stderr);
    assert.match(stderr, /is a link that leads out of/);
  }
  assert.deepEqual(readdirSync(machine.at(""), { recursive: true }).sort(), [
    "lib",
    "lib/backplane",
    "lib/backplane/backplane.db",
  ]);
});

test("install writes units, user and settings; again, it changes nothing and keeps the settings", async (t) => {
  const { at, service } = openRoot(t);
  const planned = await service("install", "--dry-run");
  assert.equal(existsSync(at("etc")), false);
  const first = await service("install");
  assert.deepEqual(first, planned);
  assert.ok(first.next.includes("  systemctl enable --now backplane"));
  for (const name of [...UNITS, USER_FILE, SETTINGS_FILE]) assert.equal(first.did[name], "written");
  assert.equal(statSync(at(SETTINGS_FILE)).mode & 0o777, 0o640);
  assert.equal(readlinkSync(at(SETTINGS_LINK)), "backplane.env");
  writeFileSync(at(SETTINGS_FILE), "PLATFORM_PORT=9000\n");
  const again = await service("install");
  assert.deepEqual([...new Set(Object.values(again.did))].sort(), ["kept", "unchanged"]);
  assert.equal(readFileSync(at(SETTINGS_FILE), "utf8"), "PLATFORM_PORT=9000\n");
});

test("the first settings are valid, and put state and logs where the hierarchy has them", async (t) => {
  const { at, service } = openRoot(t);
  await service("install");
  // The service runs in this folder.
  const { settings } = loadSettings({}, at("etc/backplane"));
  assert.deepEqual(
    [settings.home, settings.logsFolder, settings.viewerProject],
    ["/var/lib/backplane", "/var/log/backplane", "/var/lib/backplane"],
  );
});

test("remove leaves data and settings and says where they are; with --purge they go", async (t) => {
  const { at, service } = openRoot(t);
  await service("install");
  mkdirSync(at("var/lib/backplane"), { recursive: true });
  writeFileSync(at("var/lib/backplane/backplane.db"), "");
  const removed = await service("remove");
  for (const name of UNITS) assert.equal(existsSync(at(name)), false);
  assert.equal(removed.did["/var/lib/backplane"], "kept");
  assert.match(removed.next.join(), /data is still in \/var\/lib\/backplane.*--purge/);
  assert.ok(existsSync(at("var/lib/backplane/backplane.db")) && existsSync(at(SETTINGS_FILE)));
  await service("remove", "--purge", "--yes");
  assert.deepEqual([existsSync(at("var/lib/backplane")), existsSync(at("etc/backplane"))], [false, false]);
});

test("systemd finds nothing wrong with the units, and rates their exposure at most 3.0", async (t) => {
  const { at, service } = openRoot(t);
  await service("install");
  const analyze = await findCommand(systemd);
  const run = (...args: string[]) => spawnSync(analyze, args, { encoding: "utf8" });
  for (const name of UNITS) {
    const verified = run("verify", "--man=no", at(name));
    assert.deepEqual([verified.status, verified.stdout + verified.stderr], [0, ""], name);
    const rated = run("security", "--offline=true", "--no-pager", at(name));
    const exposure = /Overall exposure level for .*: ([\d.]+)/.exec(rated.stdout)?.[1];
    assert.ok(Number(exposure) <= MAX_EXPOSURE, `${name}: ${exposure ?? rated.stderr}`);
  }
});
