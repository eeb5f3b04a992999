import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { SCREENSHOTS_FOLDER } from "@backplane/contract/viewer";
import { PARTS } from "@backplane/kit/parts";
import type { Settings } from "@backplane/kit/settings";
import { ownPath } from "../own-path.ts";
import { PLACES, programPaths, UNITS } from "../service/places.ts";

/** What `uninstall` can remove, each with an option of this name. */
export type Group = "data" | "screenshots" | "account";

export type Item = {
  what: string;
  where: string;
  bytes?: number;
  /** With which option it is removed, or what to do instead. */
  group?: Group;
  advice?: string;
};

/** What a home folder has of ours. Other files there are somebody else's, and stay. */
const HOME_FILES = [
  "backplane.db",
  "backplane.db-wal",
  "backplane.db-shm",
  "owner.json",
  "platform.lock",
  "registry-index.kept",
  "viewer-token",
  "watchdog-token",
  "run",
  "uploads",
];

const ACCOUNT = "sessions, tokens and packages of this account";
/** What commands keep in ~/.backplane. That is also the home folder of a Backplane that was started in the account's home. */
const ACCOUNT_FOLDERS = ["sessions", "tokens", "packages", "running"];

const LOG_FILE = new RegExp(`^(?:${PARTS.join("|")})\\.log(?:\\.\\d+)?$`);
/** One per owner, by id. */
const OWNER_FOLDER = /^@/;
/** One per file, by its hash. */
const INDEX_FOLDER = /^[a-f0-9]{64}$/;

/** Everything that Backplane has put somewhere, with these settings and for this account. Pure: it changes nothing. */
export function takeInventory(host: Pick<NodeJS.Process, "env">, settings: Settings): Item[] {
  const { home, archives, databaseUrl, indexesFolder, projectsFolder, logsFolder, viewerProject } = settings;
  const data = (what: string, where: string): Item[] => present({ what, where, group: "data" });
  const items = [
    ...data("database, owner and keys", home).map((item) => ({
      ...item,
      bytes: sizeOfAll(home, HOME_FILES),
    })),
    ...(archives.kind === "folder"
      ? data("archives of packages", archives.folder)
      : [
          {
            what: "archives of packages",
            where: `${archives.endpoint}/${archives.bucket}/${archives.prefix}`,
            advice: "Remove them with the tools of that store.",
          },
        ]),
    ...(indexesFolder === undefined ? [] : data("lists of packages for nginx", indexesFolder)),
    ...data("files of workspaces", projectsFolder),
    ...data("logs", logsFolder),
    ...(databaseUrl === undefined
      ? []
      : [{ what: "database", where: withoutPassword(databaseUrl), advice: "Remove it with: dropdb" }]),
    ...present({ what: "screenshots", where: join(viewerProject, SCREENSHOTS_FOLDER), group: "screenshots" }),
    ...present({ what: ACCOUNT, where: ownPath(host), group: "account" }).map((item) => ({
      ...item,
      bytes: sizeOfAll(ownPath(host), ACCOUNT_FOLDERS),
    })),
    ...present({ what: "compiled code", where: cacheFolder(host) }).map(
      (item): Item => (basename(item.where) === "backplane" ? { ...item, group: "account" } : item),
    ),
    ...UNITS.flatMap((where) => present({ what: "unit", where, advice: "Remove it with: backplane service remove" })),
    ...present({
      what: "settings of the service",
      where: PLACES.settings,
      advice: "Remove it with: backplane service remove --purge",
    }),
    ...completions(host),
    programItem(),
  ];
  return items;
}

/** The paths to remove for an item: in folders that settings name, only what is ours. */
export function pathsOf(
  { what, where }: Item,
  { home, logsFolder, indexesFolder, projectsFolder }: Settings,
): string[] {
  const named = (isOurs: RegExp) =>
    readdirSync(where)
      .filter((name) => isOurs.test(name))
      .map((name) => join(where, name));
  if (what === ACCOUNT) return ACCOUNT_FOLDERS.map((name) => join(where, name));
  if (where === home) return HOME_FILES.map((name) => join(home, name));
  if (where === logsFolder) return named(LOG_FILE);
  if (where === indexesFolder) return named(INDEX_FOLDER);
  if (where === projectsFolder) return named(OWNER_FOLDER);
  return [where];
}

const cacheFolder = ({ env }: Pick<NodeJS.Process, "env">): string =>
  env.NODE_COMPILE_CACHE ?? join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "backplane");

function present(item: Item): Item[] {
  return existsSync(item.where) ? [{ ...item, bytes: sizeBelow(item.where) }] : [];
}

function programItem(): Item {
  const { root } = programPaths();
  const isClone = existsSync(join(root, "package-lock.json"));
  const advice = isClone ? "Remove the folder of the clone." : "Remove it with: npm uninstall -g backplane";
  return { what: isClone ? "program, a clone" : "program", where: root, bytes: sizeBelow(root), advice };
}

const SHELL_FILES = [".bashrc", ".bash_profile", ".zshrc", ".config/fish/config.fish"];

function completions({ env }: Pick<NodeJS.Process, "env">): Item[] {
  return SHELL_FILES.map((name) => join(env.HOME || homedir(), name)).flatMap((where) => {
    const hasLine = existsSync(where) && readFileSync(where, "utf8").includes("backplane completion");
    return hasLine ? [{ what: "completion", where, advice: "Remove its line with: backplane completion" }] : [];
  });
}

function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  return `${url.protocol}//${url.username ? `${url.username}@` : ""}${url.host}${url.pathname}`;
}

const sizeOfAll = (folder: string, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + sizeBelow(join(folder, name)), 0);

/** Of a file, or of all files in a folder. Links are not followed. */
function sizeBelow(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  try {
    return readdirSync(path).reduce((sum, name) => sum + sizeBelow(join(path, name)), 0);
  } catch {
    // Not ours to read.
    return 0;
  }
}
