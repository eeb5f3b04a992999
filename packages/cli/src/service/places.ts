import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The account that the service runs as. */
export const USER = "backplane";
const GROUP_LINE = /^backplane:[^:]*:(\d+):/m;

/** By the file system hierarchy. systemd makes the last three folders when the service starts. */
export const PLACES = {
  settings: "/etc/backplane",
  state: "/var/lib/backplane",
  logs: "/var/log/backplane",
  cache: "/var/cache/backplane",
} as const;

export const SETTINGS_FILE = join(PLACES.settings, "backplane.env");
/** Commands that are run in the folder of the settings read this file, as the service does. */
export const SETTINGS_LINK = join(PLACES.settings, ".env");

export const UNITS = ["/etc/systemd/system/backplane.service", "/etc/systemd/system/backplane@.service"] as const;
export const USER_FILE = "/etc/sysusers.d/backplane.conf";
export const OWNERS_FILE = "/etc/tmpfiles.d/backplane.conf";

/** What runs: Node and the command, in a clone or in the package that npm installed. */
export function programPaths() {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  return {
    root,
    node: join(root, "node_modules/node/bin/node"),
    command: join(root, "packages/cli/bin/backplane.js"),
  };
}

/** The group's number, once the account exists. */
export function groupId(): number | undefined {
  const line = GROUP_LINE.exec(readFileSync("/etc/group", "utf8"));
  return line === null ? undefined : Number(line[1]);
}
