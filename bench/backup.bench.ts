import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, migrate, openDatabase } from "../packages/kit/src/database/index.ts";
import { readSettings } from "../packages/kit/src/settings.ts";
import { allMigrations } from "../packages/platform/src/all-migrations.ts";
import { fileSink } from "../packages/platform/src/backup/places/folder-place.ts";
import { takeBackup } from "../packages/platform/src/backup/taking/take.ts";
import type { RegistryTables } from "../packages/registry/src/index.ts";
import type { Session } from "./harness/session.ts";

/** 10,000 packages with 5 GB of archives; BENCH_BACKUP_BYTES and BENCH_BACKUP_PACKAGES change that. */
const PACKAGES = 10_000;
const BYTES = 5_000_000_000;
const ROUNDS = 3;

/** A backup compared with `tar` of the same archives, both until the bytes are on the disk. */
export async function run({ quick }: Pick<Session, "quick">): Promise<void> {
  const packages = Number(process.env.BENCH_BACKUP_PACKAGES ?? (quick ? PACKAGES / 20 : PACKAGES));
  const bytes = Number(process.env.BENCH_BACKUP_BYTES ?? (quick ? BYTES / 20 : BYTES));
  const folder = mkdtempSync(join(tmpdir(), "bench-backup-"));
  try {
    const settings = readSettings({ BACKPLANE_HOME: "home", VIEWER_PROJECT: "project" }, folder);
    await fill(settings.home, packages, Math.floor(bytes / packages));
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const tarMs = timed(() => {
        execFileSync("tar", ["-cf", join(folder, "t.tar"), "-C", settings.home, "archives"]);
        flush(join(folder, "t.tar"));
      });
      rmSync(join(folder, "t.tar"));
      const heap = { first: 0, most: 0 };
      const startedMs = performance.now();
      const sink = await fileSink(join(folder, "b.tar"));
      const onProgress = () => {
        const { rss } = process.memoryUsage();
        heap.first ||= rss;
        heap.most = Math.max(heap.most, rss);
      };
      await takeBackup({ settings, sink, now: Date.now, fetch, onProgress });
      await sink.finish();
      const ownMs = performance.now() - startedMs;
      rmSync(join(folder, "b.tar"));
      ratios.push(ownMs / tarMs);
      const memory = `memory ${inMb(heap.first)} to ${inMb(heap.most)}`;
      console.log(
        `backup ${(ownMs / 1_000).toFixed(1)} s, tar ${(tarMs / 1_000).toFixed(1)} s, ratio ${(ownMs / tarMs).toFixed(2)}, ${memory}`,
      );
    }
    const median = ratios.sort((a, b) => a - b)[1] ?? 0;
    console.log(`backup of ${packages} packages, ${inMb(bytes)}: median ratio ${median.toFixed(2)}, at most 1.5\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const inMb = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;

function timed(work: () => void): number {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs;
}

function flush(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

async function fill(home: string, packages: number, size: number): Promise<void> {
  const database = await openDatabase<RegistryTables>({ url: undefined, home, onLostConnection: () => {} });
  await migrate(database as Database<unknown>, allMigrations, Date.now);
  const content = randomBytes(size);
  await database.durable.transaction().execute(async (transaction) => {
    for (let at = 0; at < packages; at += 1) {
      const key = `org.example.p${at}`;
      const blob_key = `archives/${key}/1.0.0.zip`;
      mkdirSync(join(home, "archives", "archives", key), { recursive: true });
      writeFileSync(join(home, "archives", blob_key), content);
      const pkg = { identifier_key: key, identifier: key, owner_id: "o", metadata: "{}", icon: null };
      await transaction
        .insertInto("registry_packages")
        .values({ ...pkg, created_at_ms: 1, updated_at_ms: 1 })
        .execute();
      await transaction
        .insertInto("registry_versions")
        .values({
          ...{
            identifier_key: key,
            epoch: 0,
            major: 1,
            minor: 0,
            patch: 0,
            status: "stable",
            metadata: "{}",
            blob_key,
          },
          ...{
            sha256: "",
            size,
            install_size: 1,
            file_count: 1,
            manifest: "{}",
            manifest_sha256: "",
            manifest_size: 2,
          },
          ...{ published_by: "o", published_at_ms: 1, downloads: 0, screenshots: null },
          ...{ unpublished_at_ms: null, unpublished_by: null, unpublished_reason: null },
        })
        .execute();
    }
  });
  await database.close();
}
