import { mkdir, realpath } from "node:fs/promises";
import { limitConcurrency } from "@backplane/kit/concurrency";
import { inspectArchive } from "../../archives/read-archive.ts";
import type { Manifest } from "../../repository/manifests-json.ts";
import { explainSystemError, InstallationFault } from "../faults.ts";
import type { InstalledEntry, Plan, Verified } from "../manager-types.ts";
import { applyChange, openSlot, refused } from "./apply.ts";
import { commit, refuseLink, type Site, settle, tidy } from "./commit.ts";
import { type Disk, realDisk } from "./disk.ts";
import { JOURNAL_FORMAT } from "./journal.ts";
import { type Known, knownPackage, knownPackages, writeRemembered } from "./known.ts";
import { layoutOf, requireIdentifier, stateFileOf } from "./layout.ts";
import { LOCK_WAIT_MS, takeLock } from "./lock.ts";
import { type Change, type InstallProgress, planChange } from "./plan.ts";
import { adoptRootState, forgetStale } from "./reconcile.ts";
import { readState } from "./state-file.ts";
import { exists, flushTree } from "./tree.ts";
import { type PublishedFiles, verifyPackage } from "./verify.ts";

/** The packages in one folder. It can be open only once across all processes; calls on it run one after the other. */
export type Installation = {
  readonly root: string;
  list(): Promise<InstalledEntry[]>;
  /** What a change would do; nothing is changed. */
  plan(change: Change): Promise<Plan>;
  /** Makes the whole change, or throws an `InstallationFault` and changes nothing. */
  apply(change: Change, onProgress?: (progress: InstallProgress) => void): Promise<Plan>;
  /** Checks one package or all; `published` is for versions that another program installed. */
  verify(identifier?: string, published?: PublishedFiles): Promise<Verified[]>;
  /** Restores missing and altered files; kept and extra files stay. */
  repair(identifier: string, archive: string): Promise<Plan>;
  setPinned(identifier: string, pinned: boolean): Promise<void>;
  /** Undefined if it is not installed, or another program installed it. */
  manifestOf(identifier: string): Promise<Manifest | undefined>;
  close(): Promise<void>;
};

export type InstallationOptions = {
  brand: string;
  /** Milliseconds since 1970. */
  now: () => number;
  /**
   * The list of installed packages, if it is not in the root: an absolute path, on any file system. An older list in the
   * root is merged into it.
   */
  stateFile?: string;
  lockWaitMs?: number;
  disk?: Disk;
};

/** Takes the lock, then finishes or undoes the change of a process that was killed. */
export async function openInstallation(folder: string, options: InstallationOptions): Promise<Installation> {
  const { brand, now, stateFile, lockWaitMs = LOCK_WAIT_MS, disk = realDisk } = options;
  const layout = await explainingErrors(`${folder} cannot be opened`, async () => {
    await mkdir(folder, { recursive: true });
    const root = await realpath(folder);
    return layoutOf(root, await stateFileOf(root, stateFile));
  });
  const { root } = layout;
  const site: Site = { layout, disk };
  const lock = await explainingErrors(`${root} cannot be opened`, async () => {
    await refuseLink(layout.own);
    await mkdir(layout.own, { recursive: true });
    return takeLock(layout, lockWaitMs);
  });
  try {
    for (const each of [layout.staging, layout.trash, layout.manifests]) await refuseLink(each);
    await explainingErrors("An interrupted change cannot be finished yet", async () => {
      await settle(site);
      await adoptRootState(site);
      await forgetStale(site);
    });
  } catch (error) {
    lock.release();
    throw error;
  }

  const inTurn = turns();
  const apply: Installation["apply"] = (change, onProgress) =>
    inTurn(() => applyChange(site, change, { brand, now, ...(onProgress ? { onProgress } : {}) }));
  return {
    root,
    list: () => inTurn(async () => (await knownPackages(layout, await readState(layout))).map(({ entry }) => entry)),
    plan: (change) => inTurn(() => explainingErrors(UNREADABLE, () => planOnly(site, change, { brand, now }))),
    apply,
    verify: (identifier, published) =>
      inTurn(() => explainingErrors(UNREADABLE, () => verifyAll(site, identifier, published))),
    repair: (identifier, archive) => apply({ kind: "repair", identifier, archive }),
    setPinned: (identifier, pinned) =>
      inTurn(() => explainingErrors(`${identifier} was not changed`, () => setPinned(site, identifier, pinned))),
    manifestOf: (identifier) =>
      inTurn(async () => (await knownPackage(layout, await readState(layout), identifier))?.manifest),
    close: () => inTurn.end(async () => lock.release()),
  };
}

async function planOnly(
  { layout }: Site,
  change: Change,
  options: { brand: string; now: () => number },
): Promise<Plan> {
  if (change.kind === "uninstall") return (await planChange(layout, change, [], options)).plan;
  const inspected = await inspectArchive(change.archive);
  if ("refusal" in inspected) throw refused(inspected.refusal);
  return (await planChange(layout, change, inspected.archive.files, options)).plan;
}

const UNREADABLE = "The installed files cannot be read";

async function verifyAll(
  { layout }: Site,
  identifier: string | undefined,
  published: PublishedFiles | undefined,
): Promise<Verified[]> {
  const state = await readState(layout);
  if (identifier !== undefined) {
    return [
      await verifyPackage(layout, mustBeKnown(await knownPackage(layout, state, identifier), identifier), published),
    ];
  }
  const verified: Verified[] = [];
  for (const known of await knownPackages(layout, state)) verified.push(await verifyPackage(layout, known));
  return verified;
}

async function setPinned(site: Site, identifier: string, pinned: boolean): Promise<void> {
  await settle(site);
  const found = await knownPackage(site.layout, await readState(site.layout), identifier);
  const { entry, raw, remembered, manifest, keep } = mustBeKnown(found, identifier);
  requireIdentifier(identifier);
  if (raw.pinned === pinned && remembered?.pinned === pinned) return;
  try {
    const slot = await openSlot(site);
    const next = { identifier, version: entry.current_version, manifest, keep, pinned };
    await site.disk.writeFile(slot.manifest, writeRemembered(next));
    await flushTree(site.disk, slot.folder);
    for (const folder of [site.layout.staging, site.layout.own]) await site.disk.flushFolder(folder);
    const change = { identifier, slot: slot.name, put: [], remove: [], entry: { ...raw, pinned } };
    await commit(site, { format: JOURNAL_FORMAT, ...change });
  } catch (error) {
    if (!(await exists(site.layout.journal))) await tidy(site);
    throw error;
  }
}

function mustBeKnown(known: Known | undefined, identifier: string): Known {
  if (known !== undefined) return known;
  throw new InstallationFault("not-installed", `${identifier} is not installed.`, { identifier });
}

async function explainingErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainSystemError(error, what);
  }
}

type Turns = { <T>(work: () => Promise<T>): Promise<T>; end(work: () => Promise<void>): Promise<void> };

/** One call after the other, in the order in which they came; none after the end. */
function turns(): Turns {
  const next = limitConcurrency({ atOnce: 1 });
  let isEnded = false;
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isEnded) throw new InstallationFault("closed", "This installation was closed.");
    return next(work);
  };
  const end = async (work: () => Promise<void>): Promise<void> => {
    if (isEnded) return;
    isEnded = true;
    await next(work);
  };
  return Object.assign(inTurn, { end });
}
