import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Package, PackageVersion } from "@backplane/contract/registry";
import { sampleArchive, sampleMetadata } from "../../archives/samples.suite.ts";
import { realDisk } from "./disk.ts";
import { type Installation, type InstallationOptions, openInstallation } from "./installation.ts";
import type { Change } from "./plan.ts";

export const IDENTIFIER = "org.example.sample";
export const NOW_MS = 1_800_000_000_000;
export const FOLDER = "org_example_sample";

/** Beside a root, when the list of what is installed is not in it. */
export const settingsOf = (root: string): string => `${root}.settings`;

export const stateOf = (root: string): string =>
  join(existsSync(settingsOf(root)) ? settingsOf(root) : root, "installed_packages.json");

export const open = (root: string, options: Partial<InstallationOptions> = {}): Promise<Installation> =>
  openInstallation(root, {
    brand: "kicad",
    now: () => NOW_MS,
    lockWaitMs: 0,
    ...(existsSync(settingsOf(root)) ? { stateFile: stateOf(root) } : {}),
    ...options,
  });

/** In memory where possible, because thousands of small files are written. */
export async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "installing-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export type Sample = {
  identifier?: string;
  version: string;
  files: Record<string, string>;
  keep?: string[];
  versionKeep?: string[];
};

/** An install of a sample; its archive is written to the folder. */
export async function installOf(folder: string, sample: Sample): Promise<Extract<Change, { kind: "install" }>> {
  const { identifier = IDENTIFIER, version, files, keep, versionKeep } = sample;
  const archive = join(folder, `${identifier}-${version}.zip`);
  const bytes = sampleArchive({ identifier, version, files, icon: null });
  await writeFile(archive, bytes);
  const pkg = {
    ...sampleMetadata({ identifier, version }),
    ...(keep === undefined ? {} : { keep_on_update: keep }),
  } as unknown as Package;
  const [listed] = pkg.versions;
  const chosen: PackageVersion = {
    ...(listed as PackageVersion),
    download_size: bytes.length,
    ...(versionKeep === undefined ? {} : { keep_on_update: versionKeep }),
  };
  return {
    kind: "install",
    package: { ...pkg, versions: [chosen] },
    version: chosen,
    archive,
    repository: { id: "0123456789abcdef", name: "Samples" },
  };
}

export async function put(root: string, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

/** All files below the folder with their contents, except the lock. */
export function snapshot(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  const look = (base: string, shown: string, folder: string): void => {
    for (const entry of readdirSync(join(base, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) look(base, shown, `${path}/`);
      else if (entry.isSymbolicLink()) files[shown + path] = `-> ${readlinkSync(join(base, path))}`;
      else if (!path.startsWith(".backplane/lock")) files[shown + path] = readFileSync(join(base, path), "utf8");
    }
  };
  look(root, "", "");
  if (existsSync(settingsOf(root))) look(settingsOf(root), "settings: ", "");
  return files;
}

const KEEP = ["settings\\.json$"];
const VERSION_KEEP = ["/plugins/[a-z_]+/user/"];

const VERSION_1: Sample = {
  version: "1.0.0",
  keep: KEEP,
  versionKeep: VERSION_KEEP,
  files: {
    "plugins/main.py": "one",
    "plugins/gone/old.py": "gone in two",
    "plugins/settings.json": "factory settings of one",
    "symbols/a.kicad_sym": "only in one",
    "resources/readme.txt": "both",
  },
};
const VERSION_2: Sample = {
  version: "2.0.0",
  keep: KEEP,
  versionKeep: VERSION_KEEP,
  files: {
    "plugins/main.py": "two, longer",
    "plugins/new/more.py": "new in two",
    "plugins/settings.json": "factory settings of two",
    "resources/readme.txt": "both",
    "templates/t.txt": "only in two",
  },
};

/** What must survive every step. */
export const PRECIOUS = ["my own settings", "my own table", "my symbols' settings"];

export const SCENARIOS = ["install", "update", "reinstall", "uninstall", "repair"] as const;
export type Scenario = (typeof SCENARIOS)[number];

export const PLACES = ["in the root", "elsewhere"] as const;
export type StatePlace = (typeof PLACES)[number];

/** A root before the scenario, with another program's package in it, and the change to apply. */
export async function prepare(
  folder: string,
  scenario: Scenario,
  state: StatePlace = "in the root",
): Promise<{ root: string; change: Change }> {
  const root = join(folder, "root");
  if (state === "elsewhere") await mkdir(settingsOf(root), { recursive: true });
  await put(root, "plugins/com_other/x.py", "of another program");
  const others = { schema: 7, packages: [{ package: { identifier: "com.other" }, current_version: "1.0", odd: true }] };
  await writeFile(stateOf(root), JSON.stringify(others));
  const one = await installOf(folder, VERSION_1);
  const two = await installOf(folder, VERSION_2);
  if (scenario === "install") return { root, change: two };
  const installation = await open(root);
  await installation.apply(one);
  await installation.setPinned(IDENTIFIER, true);
  await installation.close();
  await put(root, `plugins/${FOLDER}/settings.json`, PRECIOUS[0] ?? "");
  await put(root, `plugins/${FOLDER}/user/deep/table.csv`, PRECIOUS[1] ?? "");
  await put(root, `symbols/${FOLDER}/settings.json`, PRECIOUS[2] ?? "");
  if (scenario === "uninstall") return { root, change: { kind: "uninstall", identifier: IDENTIFIER } };
  if (scenario === "update") return { root, change: two };
  await put(root, `plugins/${FOLDER}/main.py`, "altered");
  await put(root, `plugins/${FOLDER}/extra.txt`, "extra");
  if (scenario === "reinstall") return { root, change: one };
  await rm(join(root, `resources/${FOLDER}`), { recursive: true });
  return { root, change: { kind: "repair", identifier: IDENTIFIER, archive: one.archive } };
}

export function copyOf(root: string, name: string): string {
  const copy = `${root}-${name}`;
  cpSync(root, copy, { recursive: true });
  if (existsSync(settingsOf(root))) cpSync(settingsOf(root), settingsOf(copy), { recursive: true });
  return copy;
}

/** As a process of its own: applies the change and kills itself before step number `at`, or while unpacking. */
if (import.meta.main) {
  const [root = "", changeText = "", at = "0"] = process.argv.slice(2);
  const die = (): Promise<never> => {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => undefined);
  };
  let step = 0;
  const disk = Object.fromEntries(
    Object.entries(realDisk).map(([name, work]) => [
      name,
      (...args: never[]) => {
        step++;
        if (step === Number(at)) return die();
        return (work as (...args: never[]) => Promise<unknown>)(...args);
      },
    ]),
  ) as unknown as typeof realDisk;
  const installation = await open(root, { disk });
  const change = JSON.parse(changeText) as Change;
  await installation.apply(change, () => {
    if (at === "unpacking") process.kill(process.pid, "SIGKILL");
  });
  await installation.close();
}
