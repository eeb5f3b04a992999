import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { VERSION } from "@backplane/kit/version";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { PROCESS_NAMES, startBackplane } from "./support/backplane.ts";
import { installBackplane } from "./support/installed.ts";
import { until } from "./support/processes.ts";
import { pictureWithText } from "./support/viewer.ts";

test("the tarball installs into an empty prefix without a network, and backplane up serves everything from it", async () => {
  using installed = installBackplane();
  const { folder, prefix, env } = installed;
  const program = join(prefix, "lib/node_modules/backplane");
  assert.ok(existsSync(join(program, "app/node_modules/node/bin/node")));
  assert.ok(!existsSync(join(program, "app/node_modules/typescript")), "without development packages");
  assert.equal(execFileSync("backplane", ["version"], { cwd: folder, env, encoding: "utf8" }), `${VERSION}\n`);

  await using backplane = await startBackplane({ command: "backplane", args: ["up"], cwd: folder, env });
  for (const name of PROCESS_NAMES) assert.equal((await fetch(backplane.url(name, "/ready"))).status, 200, name);
  assert.match(await (await fetch(backplane.url("platform"))).text(), /<div id="app">/);
  assert.equal((await fetch(backplane.url("platform", "/docs/"))).status, 200);
  assert.match(await (await fetch(backplane.url("watchdog"))).text(), /Gateway is running/);

  // A larger archive is examined in a thread, which has a file of its own.
  const { api_key: key } = JSON.parse(readFileSync(join(backplane.home, "owner.json"), "utf8"));
  const filler = Buffer.from(Array.from({ length: 200_000 }, (_, place) => (place * 7_919) % 251));
  const body = sampleArchive({ store: true, files: { "plugins/filler.bin": filler } });
  const published = await fetch(backplane.url("platform", "/registry/packages"), {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/zip" },
    body,
  });
  assert.equal(published.status, 201, await published.text());

  // Text is recognised by a library that looks for its own files.
  const { secret } = JSON.parse(readFileSync(join(folder, "screenshots/sp/.pastes/server.json"), "utf8"));
  const headers = { authorization: `Bearer ${secret}` };
  const pasted = await fetch(backplane.url("viewer", "/screenshot-paste"), {
    method: "POST",
    headers: { ...headers, "content-type": "image/png" },
    body: await pictureWithText("Reflow oven profile", 900, 600),
  });
  const { id } = (await pasted.json()) as { id: string };
  await until(async () => {
    const paste = await fetch(backplane.url("viewer", `/screenshot-paste/${id}`), { headers });
    return ((await paste.json()) as { name: string }).name === "reflow-oven-profile";
  }, "the screenshot has its name");
});
