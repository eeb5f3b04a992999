import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { explain, info, list, search } from "./browse.ts";
import { install } from "./change.ts";
import { listKeys } from "./keys.ts";
import { addRepository, listRepositories, refresh } from "./repositories.ts";

/** Control codes that clear and colour the screen, set the title, reverse the text and ring the bell. */
const EVIL = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\u2066\r\x7f\u2028";
const MOVES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const METADATA = {
  name: `Name${EVIL}`,
  description: `Words${EVIL}`,
  description_full: `One${EVIL}\nTwo${EVIL}`,
  identifier: "org.example.evil",
  type: "plugin",
  author: { name: `Author${EVIL}`, contact: { web: `https://example.org/${EVIL}` } },
  license: "MIT",
  resources: { homepage: `x${EVIL}` },
  [`key${EVIL}`]: EVIL,
  versions: [1, 2].map((major) => ({
    version: `${major}.0.0`,
    status: "stable",
    tool_version: "9.0",
    download_url: `http://127.0.0.1:9/a${encodeURIComponent(EVIL)}.zip`,
    download_sha256: "0".repeat(64),
    download_size: 10,
    install_size: 10,
  })),
};
const BROKEN = {
  ...METADATA,
  identifier: "org.example.broken",
  license: `None${EVIL}`,
  [`key${EVIL}`]: 1,
  versions: {},
};

async function serveHostile(t: TestContext): Promise<string> {
  const packages = Buffer.from(JSON.stringify({ packages: [METADATA, BROKEN] }));
  const server = createServer(({ url }, response) => {
    const { port } = server.address() as AddressInfo;
    const repository = {
      name: `Repository${EVIL}`,
      maintainer: { name: `Somebody${EVIL}`, contact: {} },
      packages: {
        url: `http://127.0.0.1:${port}/packages.json`,
        sha256: createHash("sha256").update(packages).digest("hex"),
        update_time_utc: "2026-01-01 00:00:00",
        update_timestamp: 1_767_225_600,
      },
    };
    if (url === "/repository.json") response.end(JSON.stringify(repository));
    else if (url === "/packages.json") response.end(packages);
    else response.writeHead(302, { location: `http://x${EVIL.replace(/[^\x20-\x7e]/g, "")}/` }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/repository.json`;
}

/** A host process whose output is collected. */
function fakeHost(env: NodeJS.ProcessEnv) {
  const text = { out: "", err: "" };
  const stream = (name: keyof typeof text) =>
    Object.assign(new EventEmitter(), {
      isTTY: false,
      write: (piece: string) => {
        text[name] += piece;
        return true;
      },
    });
  const host = Object.assign(new EventEmitter(), {
    ...{ env, platform: "linux", cwd: () => tmpdir(), stdout: stream("out"), stderr: stream("err") },
  });
  return { host: host as unknown as NodeJS.Process, text };
}

test("text from a hostile repository is printed on one line, without control codes", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "hostile-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const url = await serveHostile(t);
  const { host, text } = fakeHost({ BACKPLANE_PKG_ROOT: root, BACKPLANE_PKG_TOOL: "9.0" });
  const codes = [
    await addRepository(host, url, {}),
    await refresh(host, {}),
    await listRepositories(host, {}),
    await search(host, [], {}),
    await info(host, METADATA.identifier, {}),
    await info(host, "org.example.none", {}),
    await explain(host, METADATA.identifier, {}),
    await install(host, [METADATA.identifier], {}),
    await list(host, {}),
    await listKeys(host, {}),
  ];
  const said = `${text.out}${text.err}`;
  assert.deepEqual(codes, [0, 0, 0, 0, 0, 5, 0, 3, 0, 0], said);
  for (const line of said.split("\n")) assert.doesNotMatch(line, MOVES, JSON.stringify(line));
  for (const word of ["Name", "Words", "Author", "Repository", "Two", "homepage"])
    assert.match(text.out, new RegExp(word));

  const read = fakeHost({ BACKPLANE_PKG_ROOT: root, BACKPLANE_PKG_TOOL: "9.0" });
  await search(read.host, [], { json: true });
  const [line = "", ...others] = read.text.out.split("\n");
  assert.deepEqual(others, [""]);
  assert.equal((JSON.parse(line) as { packages: { name: string }[] }).packages[0]?.name, METADATA.name);
});
