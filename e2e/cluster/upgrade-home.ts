import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleArchive } from "../../packages/registry/src/archives/samples.suite.ts";
import { getPackage, openWorkspace, publishPackage } from "../../packages/sdk/src/index.ts";
import { CLI, startBackplane } from "../support/backplane.ts";
import { type Person, signInAs } from "../support/person.ts";
import { OWNER } from "../support/platform.ts";
import type { Release } from "./release.ts";

const IDENTIFIER = "org.example.kept";
const ARCHIVE = sampleArchive({ identifier: IDENTIFIER });
const FILE = "notes/kept.txt";

type Left = { owner: Person; sessionToken: string; tabId: string };

/** One machine with SQLite: `backplane up` of the last release is stopped, and this version is started on the same home. */
export async function upgradeHome(old: Release): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "backplane-upgrade-"));
  try {
    const left = await whileUp(folder, old.command, fill);
    await whileUp(folder, CLI, (url) => checkKept(url, left));
    console.log("a home of SQLite: everything that the last release stored is there");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function whileUp<Result>(folder: string, command: string, work: (url: string) => Promise<Result>) {
  const owner = { BACKPLANE_OWNER: OWNER.name, BACKPLANE_OWNER_PASSWORD: OWNER.password };
  const env = { ...owner, BACKPLANE_HOME: join(folder, "home"), PROJECTS_FOLDER: join(folder, "projects") };
  await using backplane = await startBackplane({ args: [command, "up"], env });
  return await work(backplane.url("platform"));
}

async function fill(url: string): Promise<Left> {
  const owner = await signInAs(url);
  const body = { name: "kept", scopes: ["read", "publish", "panels"] };
  const made = await owner.call(url, "/auth/api-keys", { method: "POST", body });
  const { key: sessionToken } = (await made.json()) as { key: string };
  await publishPackage({ baseUrl: url, sessionToken, archive: new Blob([new Uint8Array(ARCHIVE)]) });
  const workspace = openWorkspace({ baseUrl: url, sessionToken, owner: OWNER.name, repo: "kept" });
  const { tabId } = await workspace.openTab({ panelType: "sandbox" });
  await workspace.writeFile(FILE, "kept");
  await workspace.log({ level: "info", message: "kept" });
  return { owner, sessionToken, tabId };
}

async function checkKept(url: string, { owner, sessionToken, tabId }: Left): Promise<void> {
  assert.equal((await owner.call(url, "/user")).status, 200, "the session of a browser is valid");
  await signInAs(url);
  const { versions } = await getPackage({ baseUrl: url, sessionToken, identifier: IDENTIFIER });
  const archive = await fetch(versions[0]?.download_url ?? "");
  assert.deepEqual(Buffer.from(await archive.arrayBuffer()), ARCHIVE, "the archive has its bytes");
  const workspace = openWorkspace({ baseUrl: url, sessionToken, owner: OWNER.name, repo: "kept" });
  assert.ok(
    (await workspace.tabs()).some((tab) => tab.tabId === tabId),
    "the layout has its tab",
  );
  assert.equal(Buffer.from(await workspace.readFile(FILE)).toString(), "kept", "the file has its content");
  assert.ok(
    (await workspace.readLog()).some(({ message }) => message === "kept"),
    "the log has its line",
  );
}
