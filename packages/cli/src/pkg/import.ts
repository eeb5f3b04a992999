import { openAsBlob } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { EXIT } from "@backplane/contract/problems";
import { inspectArchive, readPackage } from "@backplane/registry/authoring";
import {
  type FetchedArchive,
  ManagerFault,
  type PackageVersion,
  type RepositoryContent,
} from "@backplane/registry/manager";
import { getPackage, publishPackage, RegistryError, setPackageStatus } from "@backplane/sdk";
import { type ServerOptions, type Session, withSession } from "../login/session.ts";
import { isRefusal } from "../refusal.ts";
import type { Outcome } from "../run.ts";
import { SHAPES, type Terminal } from "../terminal.ts";
import { countOf, plain, sizeOf, spanOf } from "../text.ts";
import { placeFor } from "./choose-place.ts";
import type { PkgOptions } from "./place.ts";
import { type DryRun, type PkgContext, useManager } from "./with-manager.ts";

type Host = NodeJS.Process;

export type ImportFlags = ServerOptions & Pick<PkgOptions, "brand" | "strict"> & DryRun & { owner?: string };

/** What became of one version. `planned` is what a dry run would publish; `present` was here before. */
type Imported = {
  identifier: string;
  version: string;
  state: "published" | "planned" | "present" | "refused";
  size?: number;
  message?: string;
};

/** Publishes every version of another repository here. Run again, it goes on where it stopped. */
export const importRepository = (host: Host, repositoryUrl: string, options: ImportFlags): Promise<number> =>
  withSession(host, options, async (session, running) => {
    // Downloads are cached in this folder; nothing is installed there.
    const place = placeFor(host, { brand: options.brand ?? "kicad" });
    if (isRefusal(place)) return place;
    return useManager(host, options, { ...running, place }, async (context) => {
      context.shown.says(`Reading the list of ${plain(repositoryUrl)}`);
      const repository = await context.manager.read(repositoryUrl);
      return importAll(repository, { session, context, options });
    });
  });

type Around = { session: Session; context: PkgContext; options: ImportFlags };

async function importAll(repository: RepositoryContent, around: Around): Promise<Outcome> {
  const { context, session } = around;
  const total = repository.packages.reduce((sum, { versions }) => sum + versions.length, 0);
  const imported: Imported[] = [];
  for (const { identifier, versions } of repository.packages) {
    const listed = await listedHere(identifier, session);
    for (const version of versions) {
      imported.push(await importVersion(repository, identifier, version, listed, around));
      context.shown.counts(`Importing ${countOf(total, "version")}`, `, ${imported.length} done: ${plain(identifier)}`);
    }
  }
  const { name, warnings } = repository;
  context.answer({ repository: name, versions: imported, warnings }, () => printImported(context.out, imported));
  return imported.some(({ state }) => state === "refused") ? EXIT.refused : EXIT.done;
}

const keyOf = ({ version, version_epoch: epoch = 0 }: { version: string; version_epoch?: number }): string =>
  epoch === 0 ? version : `${epoch}-${version}`;

/** What is here of a package: the hash of every version, and whether more can be published. */
type Here = { hashes: ReadonlyMap<string, string>; isOurs: boolean };

async function listedHere(identifier: string, session: Session): Promise<Here> {
  try {
    const { versions, may_publish: isOurs } = await getPackage({ ...session, identifier });
    return { hashes: new Map(versions.map((version) => [keyOf(version), version.download_sha256])), isOurs };
  } catch (error) {
    if (!(error instanceof RegistryError) || error.problemCode !== "package-unknown") throw error;
    return { hashes: new Map(), isOurs: true };
  }
}

async function importVersion(
  repository: RepositoryContent,
  identifier: string,
  version: PackageVersion,
  { hashes, isOurs }: Here,
  around: Around,
): Promise<Imported> {
  const key = keyOf(version);
  const about = { identifier, version: key };
  const hash = hashes.get(key);
  const refused = (message: string): Imported => ({ ...about, state: "refused", message });
  if (hash !== undefined && hash !== (version.download_sha256 ?? hash)) {
    return refused("This version was published here with another archive, and versions never change.");
  }
  if (hash !== undefined) return { ...about, state: "present" };
  if (!isOurs) return refused("The package belongs to another publisher here.");
  const { download_size: size } = version;
  if (around.options.dryRun) return { ...about, state: "planned", ...(size === undefined ? {} : { size }) };
  try {
    await using archive = await repository.fetch(identifier, version);
    const other = await contentOf(archive);
    if (other !== undefined && other !== `${identifier} ${key}`) return refused(`Its archive contains ${other}.`);
    await publishArchive(archive, version, around);
    return { ...about, state: "published", size: archive.size };
  } catch (error) {
    return { ...about, ...outcomeOf(error) };
  }
}

/** The package and version in an archive. What cannot be read is left to the server to refuse. */
async function contentOf({ file }: FetchedArchive): Promise<string | undefined> {
  const inspected = await inspectArchive(file);
  const read = "archive" in inspected ? readPackage(inspected.archive.metadata) : undefined;
  const [version] = read && "package" in read ? read.package.versions : [];
  return read && "package" in read && version ? `${read.package.identifier} ${keyOf(version)}` : undefined;
}

async function publishArchive(
  { file }: FetchedArchive,
  { status }: PackageVersion,
  { session, context, options: { owner } }: Around,
): Promise<void> {
  const archive = await openAsBlob(file, { type: "application/zip" });
  const published = await patiently(context, () => publishPackage({ ...session, archive, owner }));
  // The list may have changed it after the archive was made.
  if (published.status === status) return;
  const { identifier } = published;
  await patiently(context, () => setPackageStatus({ ...session, identifier, version: keyOf(published), status }));
}

const MAX_ATTEMPTS = 5;
const PAUSE_MS = 5_000;

/** Waits when Backplane is busy or limits how much is published per hour. */
async function patiently<Result>({ shown, signal }: PkgContext, act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof RegistryError) || error.code !== "temporary" || attempt === MAX_ATTEMPTS) throw error;
      const waitMs = error.retryAfterMs ?? PAUSE_MS;
      shown.says(`Backplane asks to wait ${spanOf(waitMs)}`);
      await pause(waitMs, undefined, { signal });
    }
  }
}

/** These would be the same for every further version. */
const STOPPING = new Set<string | undefined>(["quota-reached", "scope-missing", "owner-only"]);

function outcomeOf(error: unknown): Pick<Imported, "state" | "message"> {
  if (error instanceof ManagerFault && error.code !== "aborted") return { state: "refused", message: error.message };
  if (!(error instanceof RegistryError) || error.code !== "refused" || STOPPING.has(error.problemCode)) throw error;
  if (error.problemCode === "version-exists") return { state: "present" };
  return { state: "refused", message: error.message };
}

function printImported(out: Terminal, imported: readonly Imported[]): void {
  const count = (state: Imported["state"]) => imported.filter((each) => each.state === state).length;
  for (const { identifier, version, state, size, message } of imported) {
    const named = `${plain(identifier)} ${plain(version)}`;
    const bytes = size === undefined ? "" : `, ${sizeOf(size)}`;
    if (state === "planned") out.line(`${out.paint("warn", SHAPES.warn)} ${named}: would be published${bytes}`);
    if (state === "refused") out.line(`${out.paint("danger", SHAPES.danger)} ${named}: ${plain(message ?? "")}`);
  }
  const parts = [
    `${countOf(imported.length, "version")}:`,
    count("planned") > 0 ? `${count("planned")} would be published,` : `${count("published")} published,`,
    `${count("present")} already here, ${count("refused")} refused.`,
  ];
  out.line(parts.join(" "));
}
