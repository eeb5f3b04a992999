import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { type AccountTables, ensureOwner } from "@backplane/accounts";
import { type Database, migrate, openDatabase, openSnapshot } from "@backplane/kit/database";
import { readSettings, type Settings } from "@backplane/kit/settings";
import type { PanelsTables } from "@backplane/panels";
import type { RegistryTables } from "@backplane/registry";
import { allMigrations } from "../all-migrations.ts";
import type { PlatformTables } from "../tables.ts";
import { RowsDigest, rowLine } from "./format/rows.ts";
import { fileSink } from "./places/folder-place.ts";
import { takeBackup } from "./taking/take.ts";

export type Tables = AccountTables & RegistryTables & PanelsTables & PlatformTables;

/** A new, empty database: of a home folder, or of the PostgreSQL server of the tests. */
export type OpenEngine = (t: TestContext) => Promise<{ DATABASE_URL?: string }>;

/** The settings of an installation that was never started. */
export async function emptyInstallation(t: TestContext, engine: OpenEngine): Promise<Settings> {
  const folder = mkdtempSync(join(tmpdir(), "backup-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return readSettings({ BACKPLANE_HOME: "home", VIEWER_PROJECT: "project", ...(await engine(t)) }, folder);
}

export const openIn = ({ databaseUrl: url, home }: Settings): Promise<Database<Tables>> =>
  openDatabase<Tables>({ url, home, onLostConnection: () => {} });

export const fileIn = (folder: string, path: string, content: string | Buffer): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
};

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** A listed version with its archive, as publishing stores it: the archive first. */
async function publish(settings: Settings, database: Database<Tables>, name: string, bytes: Buffer): Promise<void> {
  if (settings.archives.kind !== "folder") throw new Error("archives in a folder");
  const blob_key = `archives/${name}/1.0.0.zip`;
  fileIn(settings.archives.folder, blob_key, bytes);
  await database.durable.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("registry_packages")
      .values({
        ...{ identifier_key: name, identifier: name, owner_id: "o", metadata: "{}", icon: Buffer.from([0, 255, 10]) },
        ...{ created_at_ms: 1, updated_at_ms: 2 ** 50, is_private: 0 },
      })
      .execute();
    await transaction
      .insertInto("registry_versions")
      .values({
        ...{ identifier_key: name, epoch: 0, major: 1, minor: 0, patch: 0, status: "stable", metadata: "{}", blob_key },
        ...{ sha256: sha256(bytes), size: bytes.length, install_size: 1, file_count: 1, published_by: "o" },
        ...{ manifest: "{}", manifest_sha256: "", manifest_size: 2, published_at_ms: 1, downloads: 0 },
        ...{ screenshots: null, unpublished_at_ms: null, unpublished_by: null, unpublished_reason: null },
      })
      .execute();
  });
}

/** With an owner, packages, a workspace with files, screenshots and keys. */
export async function usedInstallation(t: TestContext, engine: OpenEngine) {
  const settings = await emptyInstallation(t, engine);
  const database = await openIn(settings);
  t.after(() => database.close());
  await migrate(database as Database<unknown>, allMigrations, () => 1_700_000_000_000);
  await ensureOwner({ database, home: settings.home, name: "ada", password: "correct horse", now: () => 5 });
  for (const name of ["first", "second"]) await publish(settings, database, name, Buffer.alloc(3_000, name));
  const workspace = {
    id: "w",
    owner_id: "o",
    repo: "Rover",
    repo_key: "rover",
    folder: null,
    revision: 7,
    layout: '{"é":"\\u0000"}',
  };
  await database.durable
    .insertInto("panels_workspaces")
    .values({ ...workspace, outline: null, created_at_ms: 1, updated_at_ms: 2 })
    .execute();
  for (const message of ["one", "two ✓"]) {
    await database.durable
      .insertInto("panels_log")
      .values({ workspace_id: "w", at_ms: 1, level: "info", source: "s", message })
      .execute();
  }
  fileIn(settings.projectsFolder, "@o/rover/board.txt", "board");
  fileIn(settings.projectsFolder, "@o/rover/Ordner mit Ä/tief/x.bin", Buffer.alloc(70_000, 7));
  fileIn(settings.projectsFolder, "@o/rover/.backplane-00000000-0000-0000-0000-000000000000.part", "half");
  fileIn(settings.projectsFolder, ".recordings/w/whole.mcap", "a recording");
  fileIn(settings.projectsFolder, ".recordings/w/running.mcap.tmp", "half");
  fileIn(settings.viewerProject, "screenshots/sp/yaw-10x10.png", "png");
  fileIn(settings.viewerProject, "screenshots/sp/.pastes/a.json", "{}");
  fileIn(settings.viewerProject, "screenshots/sp/.pastes/server.json", "{}");
  fileIn(settings.home, "watchdog-token", "t0ken");
  return { settings, database };
}

export async function backupOf(settings: Settings, path: string) {
  const sink = await fileSink(path);
  const taken = await takeBackup({ settings, sink, now: Date.now, fetch });
  await sink.finish();
  return taken;
}

/** Every file below a folder with the digest of its bytes. */
export function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), sha256(readFileSync(path))]));
}

/** Count and digest of each table, as the database has it. */
export async function tablesIn({ databaseUrl: url, home }: Settings): Promise<Record<string, string>> {
  await using snapshot = await openSnapshot({ url, home });
  const found: Record<string, string> = {};
  for (const table of await snapshot.tables()) {
    const digest = new RowsDigest();
    for await (const { rows } of snapshot.read(table)) for (const row of rows) digest.add(rowLine(row));
    found[table] = `${digest.rows} ${digest.sha256}`;
  }
  return found;
}
