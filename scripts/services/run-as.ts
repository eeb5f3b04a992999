import { chownSync, readFileSync } from "node:fs";

export type User = { uid: number; gid: number };

/** PostgreSQL refuses to run as root: then it runs as `postgres`, else as `nobody`. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(":");
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody.");
}

export function giveTo(user: User | undefined, folder: string): void {
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
}
