import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type ArchiveFile,
  type ArchiveRefusal,
  INSTALLED_FOLDERS,
  type InstalledFolder,
} from "../../archives/archive.ts";
import { explainSystemError, InstallationFault, ifExists, systemCode } from "../faults.ts";
import type { Plan } from "../manager-types.ts";
import { commit, refuseLink, type Site, settle, tidy } from "./commit.ts";
import { JOURNAL_FORMAT, type Journal, type Slot, slotOf } from "./journal.ts";
import { writeRemembered } from "./known.ts";
import { installedPath, type Layout, onDisk, packageFolder, requireIdentifier, topFolder } from "./layout.ts";
import { type Change, type InstallProgress, identifierOf, type Planned, planChange } from "./plan.ts";
import { carryFile, exists, flushTree, makeFolders } from "./tree.ts";

type Options = { brand: string; now: () => number; onProgress?: (progress: InstallProgress) => void };

/** Stages everything, then swaps. If it throws, the installation is unchanged. */
export async function applyChange(site: Site, change: Change, options: Options): Promise<Plan> {
  const identifier = identifierOf(change);
  requireIdentifier(identifier);
  try {
    await settle(site);
    const slot = await openSlot(site);
    try {
      const { planned, journal } = await stage(site, slot, change, options);
      await commit(site, journal);
      return planned.plan;
    } catch (error) {
      if (!(await exists(site.layout.journal))) await tidy(site);
      throw error;
    }
  } catch (error) {
    throw explainSystemError(error, `${identifier} was not changed`);
  }
}

/** A separate folder per change, so that leftovers of an earlier change are never mistaken for it. */
export async function openSlot({ layout, disk }: Site): Promise<Slot> {
  for (const folder of [layout.staging, layout.trash, layout.manifests]) {
    await refuseLink(folder);
    await disk.makeFolder(folder);
  }
  const used = (await Promise.all([readdir(layout.staging), readdir(layout.trash)])).flat();
  let number = 1;
  while (used.includes(String(number))) number++;
  const slot = slotOf(layout, String(number));
  for (const folder of [slot.folder, slot.files, slot.trash]) await disk.makeFolder(folder);
  return slot;
}

async function stage(
  site: Site,
  slot: Slot,
  change: Change,
  options: Options,
): Promise<{ planned: Planned; journal: Journal }> {
  const { layout, disk } = site;
  const identifier = identifierOf(change);
  const incoming = change.kind === "uninstall" ? [] : await unpack(site, slot, change, options);
  const planned = await planChange(layout, change, incoming, options);
  const archived = new Set(incoming.map(({ path }) => installedPath(identifier, path)));
  for (const path of planned.carried) await carry(site, slot, identifier, path, archived.has(path));
  if (planned.remembered !== undefined) await disk.writeFile(slot.manifest, writeRemembered(planned.remembered));

  const put = foldersOf([...incoming.map(({ path }) => path), ...planned.carried]);
  const remove = await onlyOld(layout, identifier, put);
  for (const folder of [...put, ...remove]) {
    await refuseLink(join(layout.root, folder));
    await disk.makeFolder(join(layout.root, folder));
  }
  await flushTree(disk, slot.folder);
  for (const folder of [layout.staging, layout.trash, layout.own, layout.root]) await disk.flushFolder(folder);
  const { entry } = planned;
  return { planned, journal: { format: JOURNAL_FORMAT, identifier, slot: slot.name, put, remove, entry } };
}

async function unpack(
  { disk }: Site,
  slot: Slot,
  change: Exclude<Change, { kind: "uninstall" }>,
  { onProgress }: Options,
): Promise<ArchiveFile[]> {
  const identifier = identifierOf(change);
  const extracted = await disk.extract(change.archive, slot.files, {
    onFile: (path, done, total) => onProgress?.({ identifier, path, done, total }),
  });
  if ("refusal" in extracted) throw refused(extracted.refusal);
  return extracted.files;
}

export function refused(refusal: ArchiveRefusal): InstallationFault {
  return new InstallationFault("archive-refused", refusal.message, { ...refusal });
}

/** The kept file wins over a file of the same name in the archive. */
async function carry(
  { layout, disk }: Site,
  slot: Slot,
  identifier: string,
  path: string,
  isArchived: boolean,
): Promise<void> {
  const from = onDisk(layout.root, path);
  const inside = stagedPath(identifier, path);
  const to = onDisk(slot.files, inside);
  if (isArchived) await disk.unlink(to);
  else if (inside.includes("/")) await makeFolders(disk, slot.files, dirname(inside).replaceAll("\\", "/"));
  try {
    await carryFile(disk, from, to);
  } catch (error) {
    // The names differ only in case, and the file system ignores case.
    if (systemCode(error) !== "EEXIST") throw error;
    await ifExists(disk.unlink(to));
    await carryFile(disk, from, to);
  }
}

/** "plugins/com_example_x/a/b" is staged as "plugins/a/b", its path in the archive. */
function stagedPath(identifier: string, path: string): string {
  const folder = topFolder(path) ?? "plugins";
  return `${folder}${path.slice(packageFolder(folder, identifier).length)}`;
}

const foldersOf = (paths: readonly string[]): InstalledFolder[] =>
  INSTALLED_FOLDERS.filter((folder) => paths.some((path) => path.startsWith(`${folder}/`)));

async function onlyOld(
  layout: Layout,
  identifier: string,
  put: readonly InstalledFolder[],
): Promise<InstalledFolder[]> {
  const found: InstalledFolder[] = [];
  for (const folder of INSTALLED_FOLDERS) {
    const isOld = !put.includes(folder) && (await exists(onDisk(layout.root, packageFolder(folder, identifier))));
    if (isOld) found.push(folder);
  }
  return found;
}
