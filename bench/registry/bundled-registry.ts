import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { NODE_FLAGS } from "@backplane/kit/supervise";
import { bundle } from "../../scripts/packing/bundle.ts";
import { nodeServer } from "../harness/node-server.ts";
import type { ServerOptions } from "../harness/server.ts";

const BRANDS = "tool,kicad";
const PROGRAMS = {
  "serve-app": "bench/registry/serve-app.ts",
  "examine-thread": "packages/registry/src/server/publishing/examine-thread.ts",
};

export type BundledRegistry = {
  /** The registry on the tables in this folder. */
  on(label: string, folder: string): ServerOptions;
} & AsyncDisposable;

/** The registry as people run it: bundled, with the flags and the compile cache of the platform's processes. Disposing removes the bundle. */
export async function bundleRegistry(): Promise<BundledRegistry> {
  const dist = join(import.meta.dirname, "..", "..", "dist");
  mkdirSync(dist, { recursive: true });
  const bundled = mkdtempSync(join(dist, "bench-"));
  await bundle(PROGRAMS, { folder: bundled });
  return {
    on(label, folder) {
      const program = new URL(`file://${join(bundled, "serve-app.js")}`);
      const options = nodeServer(label, program, "/registry/repository.json");
      const cache = join(bundled, "cache");
      return {
        ...options,
        args: (port) => [...NODE_FLAGS, ...options.args(port)],
        env: () => ({ SEEDED: folder, BRANDS, MALLOC_ARENA_MAX: "2", NODE_COMPILE_CACHE: cache }),
      };
    },
    [Symbol.asyncDispose]: async () => rmSync(bundled, { recursive: true, force: true }),
  };
}
