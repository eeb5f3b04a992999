import { Problem } from "@backplane/kit/problems";
import { claimPidFile, pidFileHolder, releasePidFile } from "@backplane/kit/process";
import type { PastesFolder } from "./folder.ts";

/** Another process has this project's screenshots. */
export class HeldElsewhere extends Problem {
  override name = "HeldElsewhere";
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    const who = pid === undefined ? "Another process" : `Process ${pid}`;
    super("folder-refused", { detail: `${who} has the screenshots in ${folder} open. Use that one, or end it.` });
    this.pid = pid;
  }
}

/** One process holds a project at a time. Returns what gives it back. */
export function holdProject({ holder, pairs }: PastesFolder, pid: number): () => void {
  if (!claimPidFile(holder, pid)) throw new HeldElsewhere(pairs, pidFileHolder(holder));
  return () => releasePidFile(holder, pid);
}
