import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { portClaimMs } from "./limits.ts";

/** Below the ephemeral range, where a connection could take the port between the check and its use. */
const LOWEST = 20_000;
const HIGHEST = 32_767;

/** A free TCP port on loopback that no other test gets. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (claim(port) && (await isFree(port))) return port;
  }
}

/** Across processes: the first to create the file has the port. Old files belong to finished tests. */
function claim(port: number): boolean {
  const folder = join(tmpdir(), "backplane-ports");
  const file = join(folder, String(port));
  mkdirSync(folder, { recursive: true });
  const claimed = statSync(file, { throwIfNoEntry: false });
  if (claimed && Date.now() - claimed.mtimeMs > portClaimMs) rmSync(file, { force: true });
  try {
    writeFileSync(file, "", { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
