import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { after, before, type TestContext, test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { isLongRun } from "../scripts/testing/long.ts";
import { startWorkspaces, type Workspaces } from "./support/workspaces.ts";

/** What many clients that read nothing may cost together, however large the answers are. */
const MAX_GROWTH_MB = 200;

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

let workspaces: Workspaces;
let file: string;
let manifest: string;
before(async () => {
  workspaces = await startWorkspaces("one instance, embedded");
  file = "/api/workspaces/editor/owner/rover/current/files/large.bin";
  const saved = await fetch(`${workspaces.pages}${file}`, {
    method: "PUT",
    headers: { "x-api-key": workspaces.apiKey, "if-none-match": "*" },
    body: Buffer.alloc(PANELS_LIMITS.maxFileBytes, 7),
  });
  assert.equal(saved.status, 201, await saved.text());
  if (isLongRun) manifest = await publishManyFiles();
});
after(() => workspaces[Symbol.asyncDispose]());

/** Publishes a package whose list of files has some megabytes, and returns the address of that list. */
async function publishManyFiles(): Promise<string> {
  const { owner, pages } = workspaces;
  const made = await owner.call(pages, "/auth/api-keys", { method: "POST", body: { name: "p", scopes: ["publish"] } });
  const { key } = (await made.json()) as { key: string };
  const files = Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`plugins/${"a".repeat(200)}-${n}`, ""]));
  const headers = { "x-api-key": key, "content-type": "application/zip" };
  const body = new Uint8Array(sampleArchive({ files }));
  const published = await fetch(`${pages}/registry/packages`, { method: "POST", headers, body });
  assert.equal(published.status, 201, await published.text());
  const listed = await (await fetch(`${pages}/registry/manifests.json`)).text();
  return /\/registry\/manifests\/[0-9a-f]{64}\.json/.exec(listed)?.[0] ?? "";
}

/** Sends the same text on many connections and never reads an answer. */
async function askWithoutReading(t: TestContext, connections: number, text: string): Promise<void> {
  const port = Number(new URL(workspaces.pages).port);
  const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1").on("error", () => {}));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  await Promise.all(
    sockets.map(async (socket) => {
      socket.write(text);
      await once(socket, "readable");
    }),
  );
}

/** Whole answers for somebody who reads: once they have arrived, those that were asked for before are made as well. */
const BYSTANDER_ANSWERS = 8;

type Case = {
  connections: number;
  requests: number;
  path: string;
  headers: Record<string, string>;
  maxGrowthMb?: number;
};

const LISTS_OF_FILES: Record<string, () => Case> = {
  "300 connections of strangers for a list of files that is made for each of them": () => ({
    ...{ connections: 300, requests: 1, path: manifest, headers: {}, maxGrowthMb: 2 * MAX_GROWTH_MB },
  }),
};

const CASES: Record<string, () => Case> = {
  "4 connections with 16 pipelined requests each for a file of 16 MiB": () => ({
    ...{ connections: 4, requests: 16, path: file, headers: { "x-api-key": workspaces.apiKey } },
  }),
  "300 connections of strangers for the API reference": () => ({
    ...{ connections: 300, requests: 1, path: "/docs/", headers: {} },
  }),
  "300 connections of strangers for the API reference, compressed": () => ({
    ...{ connections: 300, requests: 1, path: "/docs/", headers: { "accept-encoding": "br" } },
  }),
  // Making them takes as long as all other cases together.
  ...(isLongRun ? LISTS_OF_FILES : {}),
};

for (const [what, describe] of Object.entries(CASES)) {
  test(`answers that nobody reads do not fill the memory: ${what}`, async (t) => {
    const { connections, requests, path, headers, maxGrowthMb = MAX_GROWTH_MB } = describe();
    const [{ pid, url }] = workspaces.instances as [Workspaces["instances"][number]];
    const beforeMb = residentMb(pid);
    const lines = Object.entries({ host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    await askWithoutReading(t, connections, `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`.repeat(requests));
    for (let answer = 0; answer < BYSTANDER_ANSWERS; answer += 1) {
      const response = await fetch(`${url}${path}`, { headers });
      assert.equal(response.status, 200);
      await response.arrayBuffer();
    }
    const grownMb = residentMb(pid) - beforeMb;
    t.diagnostic(`memory +${grownMb.toFixed(0)} MB`);
    assert.ok(grownMb < maxGrowthMb, `${grownMb} MB`);
  });
}
