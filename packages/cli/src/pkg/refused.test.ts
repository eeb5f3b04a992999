import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { exitCodeOf } from "@backplane/contract/problems";
import { build, pack, validate } from "./author.ts";
import { publish } from "./publish.ts";

const REFUSED = exitCodeOf("archive-refused");

function openFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "refused-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return { folder, file };
}

function openHost(cwd: string, env: NodeJS.ProcessEnv = {}) {
  const said = { text: "" };
  const stream = Object.assign(new EventEmitter(), {
    isTTY: false,
    write: (piece: string) => {
      said.text += piece;
      return true;
    },
  });
  const host = { env, platform: "linux", cwd: () => cwd, stdout: stream, stderr: stream };
  return { said, host: Object.assign(new EventEmitter(), host) as unknown as NodeJS.Process };
}

test("pack and build exit with 6 when the package has errors; validate, which only checks, with 1", async (t) => {
  const { folder, file } = openFolder(t);
  file("faulty/metadata.json", "{}");
  const archive = file("faulty.zip", "not a zip");
  const { host, said } = openHost(folder);
  const out = join(folder, "out");
  assert.equal(REFUSED, 6);
  assert.equal(await pack(host, join(folder, "faulty"), { out: join(folder, "x.zip") }), REFUSED);
  assert.equal(await build(host, [archive], { out, baseUrl: "https://example.org", name: "Packages" }), REFUSED);
  assert.match(said.text, /Nothing was written/);
  assert.equal(await validate(host, [archive], {}), 1);
});

test("publish --check exits with 6 when publishing would be refused, and with 0 when it would not", async (t) => {
  const { folder, file } = openFolder(t);
  const archive = file("a.zip", "bytes");
  let publishable = false;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ publishable, notes: [] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { host, said } = openHost(folder, { BACKPLANE_TOKEN: "bpk_x" });
  assert.equal(await publish(host, archive, { url, check: true }), REFUSED);
  assert.match(said.text, /It would be refused\.\n$/);
  publishable = true;
  assert.equal(await publish(host, archive, { url, check: true }), 0);
});
