import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** What is kept of one user at one provider, without the tokens themselves. */
export type Connection = {
  provider: string;
  user: string;
  path: string;
  kept: { expiresAtMs: number; isRefreshable: boolean } | undefined;
};

const TOKEN_FILE = /^([^.]+)\.([^.]+)\.json$/;

/** Every connection of this account, whichever program made it. A file that holds no tokens has nothing kept. */
export async function listConnections(folder: string): Promise<Connection[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const connections = await Promise.all(names.sort().map((name) => connectionIn(folder, name)));
  return connections.filter((connection) => connection !== undefined);
}

async function connectionIn(folder: string, name: string): Promise<Connection | undefined> {
  const [, provider, user] = TOKEN_FILE.exec(name) ?? [];
  if (provider === undefined || user === undefined) return undefined;
  const path = join(folder, name);
  const record = await readRecord(path);
  const { accessToken, expiresAt, refreshToken } = record;
  const isWhole = typeof accessToken === "string" && typeof expiresAt === "number";
  return {
    // A long name is only a hash in the file's: what was kept beside the tokens tells it.
    provider: typeof record.provider === "string" ? record.provider : decoded(provider),
    user: typeof record.user === "string" ? record.user : decoded(user),
    path,
    kept: isWhole ? { expiresAtMs: expiresAt, isRefreshable: typeof refreshToken === "string" } : undefined,
  };
}

async function readRecord(path: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
