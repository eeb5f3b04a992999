import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of the test's own, gone with it. */
export function scratchFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "backplane-sdk-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
