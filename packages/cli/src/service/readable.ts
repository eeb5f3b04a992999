import { statSync } from "node:fs";
import { dirname } from "node:path";

/** The units do not let the service see these. */
const HIDDEN = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"];

const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;

/** Why the service, which runs as a user of its own, cannot run a file; undefined if it can. */
export function unreadable(path: string): string | undefined {
  if (HIDDEN.some((folder) => path.startsWith(folder))) return `it is below ${path.split("/").slice(0, 2).join("/")}`;
  if ((statSync(path).mode & OTHERS_READ) === 0) return `other users may not read ${path}`;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & OTHERS_ENTER) === 0) return `other users may not enter ${folder}`;
  }
  return undefined;
}
