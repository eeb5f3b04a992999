import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServerOptions } from "../harness/server.ts";

const execute = promisify(execFile);
const VERSION = "6.10.4";
/** It requests a tag of this package that not every registry has. */
const OVERRIDES = { "node-fetch": "2.7.0" };
const INSTALL_TIMEOUT_MS = 180_000;
export const VERDACCIO_PACKAGE = "bench-package";

export type FoundVerdaccio = { server: ServerOptions } | { missing: string };

/** Installed into a temporary folder; it serves one package with about this much metadata. */
export async function installVerdaccio(bytes: number, signal: AbortSignal): Promise<FoundVerdaccio> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-verdaccio-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ overrides: OVERRIDES }));
  try {
    const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, `verdaccio@${VERSION}`];
    await execute("npm", args, { signal, timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    signal.throwIfAborted();
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n").slice(-1);
    return { missing: `verdaccio could not be installed with npm, so it is left out. ${reason}` };
  }
  const storage = join(folder, "storage");
  mkdirSync(join(storage, VERDACCIO_PACKAGE), { recursive: true });
  writeFileSync(join(storage, VERDACCIO_PACKAGE, "package.json"), metadataOf(bytes));
  return {
    server: {
      label: "verdaccio",
      command: process.execPath,
      args: (port) => [
        join(folder, "node_modules/verdaccio/bin/verdaccio"),
        ...["--config", "config.yaml", "--listen", `127.0.0.1:${port}`],
      ],
      files: () => ({
        "config.yaml": [
          `storage: ${storage}`,
          "packages:",
          "  '**':",
          "    access: $all",
          "web: { enable: false }",
          "log: { type: stdout, format: json, level: error }",
          // Ours has no limit on reads either.
          "userRateLimit: { windowMs: 1000, max: 1000000 }",
          "",
        ].join("\n"),
      }),
      readyUrl: (port) => `http://127.0.0.1:${port}/${VERDACCIO_PACKAGE}`,
    },
  };
}

function metadataOf(bytes: number): string {
  const version = (number: string) => ({
    ...{ name: VERDACCIO_PACKAGE, version: number, description: "word ".repeat(60), license: "MIT" },
    dependencies: { one: "^1.0.0", two: "^2.0.0" },
    dist: {
      integrity: "sha512-x",
      shasum: "0".repeat(40),
      tarball: `http://localhost:4873/${VERDACCIO_PACKAGE}/-/${VERDACCIO_PACKAGE}-${number}.tgz`,
    },
  });
  const each = JSON.stringify(version("1.0.1000")).length + 60;
  const numbers = Array.from({ length: Math.max(1, Math.round(bytes / each)) }, (_, n) => `1.0.${n}`);
  return JSON.stringify({
    name: VERDACCIO_PACKAGE,
    versions: Object.fromEntries(numbers.map((number) => [number, version(number)])),
    time: Object.fromEntries(numbers.map((number) => [number, "2026-01-01T00:00:00.000Z"])),
    "dist-tags": { latest: numbers.at(-1) },
    _distfiles: {},
    _attachments: {},
    _uplinks: {},
    _rev: "1-0",
    _id: VERDACCIO_PACKAGE,
    readme: "",
  });
}
