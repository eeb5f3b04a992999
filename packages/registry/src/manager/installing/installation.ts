import { mkdir, realpath } from "node:fs/promises";
import { inspectArchive } from "../../archives/inspect.ts";
import type { InstalledEntry, Manifest, Plan, Verified } from "../installed.ts";
import { applyChange, openSlot, refused } from "./apply.ts";
import type { Change, InstallProgress } from "./change.ts";
import { refuseLink, replaceState, type Site, settle, tidy } from "./commit.ts";
import { type Disk, realDisk } from "./disk.ts";
import { clearFault, InstallationFault } from "./faults.ts";
import { layoutOf } from "./layout.ts";
import { LOCK_WAIT_MS, takeLock } from "./lock.ts";
import { storedManifest } from "./manifests.ts";
import { planChange } from "./plan.ts";
import { entriesOf, rawEntry, readState, withEntry } from "./state-file.ts";
import { verifyPackage } from "./verify.ts";

/** The packages below one folder. One opening at a time, in any process; calls on it take turns. */
export type Installation = {
  readonly root: string;
  list(): Promise<InstalledEntry[]>;
  /** What a change would do. Touches nothing. */
  plan(change: Change): Promise<Plan>;
  /** All of it, or an `InstallationFault` and everything as it was. */
  apply(change: Change, onProgress?: (progress: InstallProgress) => void): Promise<Plan>;
  /** One package, or all. */
  verify(identifier?: string): Promise<Verified[]>;
  /** Brings back what is missing or altered; kept files and those of no archive stay. */
  repair(identifier: string, archive: string): Promise<Plan>;
  setPinned(identifier: string, pinned: boolean): Promise<void>;
  /** Undefined: it is not installed, or by a program that left none. */
  manifestOf(identifier: string): Promise<Manifest | undefined>;
  close(): Promise<void>;
};

export type InstallationOptions = {
  brand: string;
  /** Milliseconds since 1970. */
  now: () => number;
  lockWaitMs?: number;
  disk?: Disk;
};

/** Takes the lock, then finishes or undoes what a process that was killed has left. */
export async function openInstallation(folder: string, options: InstallationOptions): Promise<Installation> {
  const { brand, now, lockWaitMs = LOCK_WAIT_MS, disk = realDisk } = options;
  const root = await faultsAsWords(`${folder} cannot be opened`, async () => {
    await mkdir(folder, { recursive: true });
    return realpath(folder);
  });
  const layout = layoutOf(root);
  const site: Site = { layout, disk };
  const lock = await faultsAsWords(`${root} cannot be opened`, async () => {
    await refuseLink(layout.own);
    await mkdir(layout.own, { recursive: true });
    return takeLock(layout, lockWaitMs);
  });
  try {
    for (const each of [layout.staging, layout.trash, layout.manifests]) await refuseLink(each);
    await faultsAsWords("A change that was cut off cannot be finished yet", () => settle(site));
  } catch (error) {
    lock.release();
    throw error;
  }

  const inTurn = turns();
  const apply: Installation["apply"] = (change, onProgress) =>
    inTurn(() => applyChange(site, change, { brand, now, ...(onProgress ? { onProgress } : {}) }));
  return {
    root,
    list: () => inTurn(async () => entriesOf(await readState(layout))),
    plan: (change) => inTurn(() => faultsAsWords(UNREADABLE, () => planOnly(site, change, { brand, now }))),
    apply,
    verify: (identifier) => inTurn(() => faultsAsWords(UNREADABLE, () => verifyAll(site, identifier))),
    repair: (identifier, archive) => apply({ kind: "repair", identifier, archive }),
    setPinned: (identifier, pinned) =>
      inTurn(() => faultsAsWords(`${identifier} was not changed`, () => setPinned(site, identifier, pinned))),
    manifestOf: (identifier) =>
      inTurn(async () => {
        const entries = entriesOf(await readState(layout));
        const entry = entries.find((each) => each.package.identifier === identifier);
        return entry && storedManifest(layout, entry);
      }),
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

async function verifyAll(site: Site, identifier: string | undefined): Promise<Verified[]> {
  const verified: Verified[] = [];
  for (const entry of await entriesFor(site, identifier)) verified.push(await verifyPackage(site.layout, entry));
  return verified;
}

async function entriesFor({ layout }: Site, identifier: string | undefined): Promise<InstalledEntry[]> {
  const entries = entriesOf(await readState(layout));
  if (identifier === undefined) return entries;
  const found = entries.filter((entry) => entry.package.identifier === identifier);
  if (found.length === 0) throw notInstalled(identifier);
  return found;
}

async function setPinned(site: Site, identifier: string, pinned: boolean): Promise<void> {
  await settle(site);
  const state = await readState(site.layout);
  const entry = rawEntry(state, identifier);
  if (entry === undefined) throw notInstalled(identifier);
  const bytes = withEntry(state, identifier, { ...entry, pinned });
  if (bytes === undefined) return;
  try {
    const { spare } = await openSlot(site);
    await replaceState(site, spare, bytes);
    await site.disk.flushFolder(site.layout.root);
  } finally {
    await tidy(site);
  }
}

const notInstalled = (identifier: string): InstallationFault =>
  new InstallationFault("not-installed", `${identifier} is not installed.`, { identifier });

async function faultsAsWords<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw clearFault(error, what);
  }
}

type Turns = { <T>(work: () => Promise<T>): Promise<T>; end(work: () => Promise<void>): Promise<void> };

/** One after the other, in the order of the calls; nothing after the end. */
function turns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let isEnded = false;
  const next = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (isEnded) return Promise.reject(new InstallationFault("closed", "This installation was closed."));
    return next(work);
  };
  const end = (work: () => Promise<void>): Promise<void> => {
    if (isEnded) return Promise.resolve();
    isEnded = true;
    return next(work);
  };
  return Object.assign(inTurn, { end });
}
