import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BuildOptions, type Built, buildRepository } from "./build.ts";

export const NOW_MS = Date.UTC(2026, 5, 1, 12);

/** A folder to build from and one to build into, both removed at the end. */
export class Workspace implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "backplane-build-"));
  readonly input = join(this.root, "input");
  readonly out = join(this.root, "out");

  constructor() {
    mkdirSync(this.input);
  }

  put(name: string, bytes: Uint8Array | string | object): string {
    const file = join(this.input, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      typeof bytes === "string" || bytes instanceof Uint8Array ? bytes : JSON.stringify(bytes, null, 2),
    );
    return file;
  }

  build(options: Partial<BuildOptions> = {}): ReturnType<typeof buildRepository> {
    return buildRepository({
      from: [this.input],
      out: this.out,
      name: "Samples",
      brand: "tool",
      baseUrl: "https://example.org/packages/",
      now: () => NOW_MS,
      ...options,
    } as BuildOptions);
  }

  async built(options: Partial<BuildOptions> = {}): Promise<Built> {
    const result = await this.build(options);
    if ("faults" in result) throw new Error(`It was not built: ${JSON.stringify(result.faults)}`);
    return result;
  }

  read(name: string): Buffer {
    return readFileSync(join(this.out, name));
  }

  json(name: string): Record<string, unknown> {
    return JSON.parse(this.read(name).toString()) as Record<string, unknown>;
  }

  /** Waits until a new file gets a later time than all before it: the clocks of file systems are coarse. */
  untilTimePasses(): void {
    const probe = join(this.root, "probe");
    const step = () => {
      writeFileSync(probe, "");
      return statSync(probe, { bigint: true }).ctimeNs;
    };
    const start = step();
    while (step() === start);
  }

  /** Every file of the repository with its hash, without the build's own cache. */
  files(): Record<string, string> {
    return hashesIn(this.out);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function hashesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => !name.startsWith(".") && lstatSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, shaOf(readFileSync(join(folder, name)))]));
}

export const shaOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
