import assert from "node:assert/strict";
import { chmodSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openBrowser } from "./open-browser.ts";

const URL_WITH_QUERY = "https://provider.example/auth?state=s&scope=a b";

/** A folder with an opener in it that notes what it was asked to open. */
function desktop(exitCode: number) {
  const folder = mkdtempDisposableSync(join(tmpdir(), "open-browser-"));
  const opener = join(folder.path, "xdg-open");
  const note = join(folder.path, "opened");
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > '${note}'\nexit ${exitCode}\n`);
  chmodSync(opener, 0o755);
  const env = { PATH: `${folder.path}:/usr/bin:/bin`, DISPLAY: ":0" };
  return { env, opened: () => readFileSync(note, "utf8"), [Symbol.dispose]: () => folder.remove() };
}

const host = (env: NodeJS.ProcessEnv, isTTY = true) => ({ stdout: { isTTY }, env, platform: "linux" as const });

test("with a terminal and a display the desktop opens the unchanged address", async () => {
  using screen = desktop(0);
  assert.equal(await openBrowser(host(screen.env), URL_WITH_QUERY), "opened");
  assert.equal(screen.opened(), URL_WITH_QUERY);
});

test("an opener that fails or is missing is reported", async () => {
  using screen = desktop(3);
  assert.equal(await openBrowser(host(screen.env), URL_WITH_QUERY), "failed");
  assert.equal(await openBrowser(host({ PATH: "/nowhere", DISPLAY: ":0" }), URL_WITH_QUERY), "failed");
});

test("nothing is opened for a pipe, or without a display", async () => {
  using screen = desktop(0);
  const { DISPLAY: _, ...withoutDisplay } = screen.env;
  assert.equal(await openBrowser(host(screen.env, false), URL_WITH_QUERY), "no-terminal");
  assert.equal(await openBrowser(host(withoutDisplay), URL_WITH_QUERY), "no-display");
  assert.throws(screen.opened, { code: "ENOENT" });
});
