import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { portClaimMs } from "./limits.ts";

/** Below those that the system gives to connections, which would take a port between the look and its use. */
const LOWEST = 20_000;
const HIGHEST = 32_767;

/** A TCP port on loopback that nobody listens on, and that no other test is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (claim(port) && (await isFree(port))) return port;
  }
}

/** Across processes: the first to write the file has the port. Whoever wrote an old one is done. */
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
