import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manager, ManagerOptions, Progress } from "./manager-types.ts";
import { openManager } from "./open-manager.ts";

export const NOW_MS = Date.UTC(2026, 4, 1);

/** A folder of one test, and managers on it. */
export type Site = AsyncDisposable & {
  root: string;
  folder: string;
  clock: { nowMs: number };
  progress: Progress[];
  open(options?: Partial<ManagerOptions>): Promise<Manager>;
  /** Every file of the installation with its content; not what is below .backplane. */
  files(): Promise<Record<string, string>>;
};

export async function openSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "backplane-manager-"));
  const root = join(folder, "root");
  const clock = { nowMs: NOW_MS };
  const progress: Progress[] = [];
  return {
    ...{ root, folder, clock, progress },
    open: (options = {}) =>
      openManager({
        root,
        brand: "tool",
        tool: { version: "9.0.2", platform: "linux", runtimes: ["swig"] },
        fetch: globalThis.fetch,
        now: () => clock.nowMs,
        onProgress: (step) => progress.push(step),
        ...options,
        limits: { retryPauseMs: 1, ...options.limits },
      }),
    files: async () => {
      const found: Record<string, string> = {};
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name).slice(root.length + 1);
        if (!entry.isFile() || path.startsWith(".backplane")) continue;
        found[path] = await readFile(join(root, path), "latin1");
      }
      return found;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
