import { stat, statfs } from "node:fs/promises";
import type { Disk, Finding } from "@backplane/contract/system";
import type { Settings } from "../settings.ts";

/** With less, a disk is nearly full. */
const LOW_SHARE = 0.05;
const LOW_BYTES = 1024 ** 3;

export type Folders = Pick<Settings, "home" | "archives" | "projectsFolder">;

/** The disks of the folders that grow, each once, with what is on it. Folders that are not there yet are left out. */
export async function readDisks({ home, archives, projectsFolder }: Folders): Promise<Disk[]> {
  const folders: [holds: string, folder: string][] = [
    ["home", home],
    ...(archives.kind === "folder" ? [["archives", archives.folder] as [string, string]] : []),
    ["project files", projectsFolder],
  ];
  const disks = new Map<number, Disk>();
  for (const { holds, device, room } of await Promise.all(folders.map(readFolder))) {
    if (room === undefined) continue;
    const disk = disks.get(device);
    if (disk) disk.holds.push(holds);
    else disks.set(device, { holds: [holds], ...room });
  }
  return [...disks.values()];
}

async function readFolder([holds, folder]: [string, string]) {
  try {
    const [{ dev: device }, { bavail, blocks, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
    return { holds, device, room: { freeBytes: bavail * bsize, totalBytes: blocks * bsize } };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return { holds, device: 0, room: undefined };
  }
}

export function diskFinding({ holds, freeBytes, totalBytes }: Disk): Finding {
  const check = "disk space";
  const percent = Math.floor((100 * freeBytes) / totalBytes);
  const left = `${(freeBytes / 1024 ** 3).toFixed(1)} GB free (${percent} %) on the disk with ${holds.join(" and ")}`;
  if (freeBytes >= LOW_BYTES && freeBytes >= totalBytes * LOW_SHARE) return { check, state: "ok", says: left };
  return {
    ...{ check, state: "warning", says: `Only ${left}` },
    cost: "When it is full, nothing can be saved: no sign-in, no publishing, no backup.",
    fix: "Free some space, or move the folder to a larger disk.",
  };
}
