import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { VERSION } from "@backplane/kit/version";
import { type Refusal, refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { ownersFile, settingsFile, unitFiles, userFile } from "./files.ts";
import { groupId, OWNERS_FILE, PLACES, programPaths, SETTINGS_FILE, SETTINGS_LINK, USER, USER_FILE } from "./places.ts";
import { unreadable } from "./readable.ts";
import { openSystem, reportSteps, type System, type SystemOptions } from "./system.ts";

/** `backplane service install`. The same again changes nothing. Returns the exit code. */
export function install(host: NodeJS.Process, options: SystemOptions): Promise<number> {
  return runCommand(host, options, async (running) => {
    const system = openSystem(host, options);
    if ("exit" in system) return system;
    const hidden = system.isThisMachine ? refuseHidden() : undefined;
    if (hidden !== undefined) return hidden;
    for (const [name, text] of Object.entries(unitFiles(host.env.BACKPLANE_COMMAND || "backplane")))
      write(system, name, text);
    write(system, USER_FILE, userFile());
    write(system, OWNERS_FILE, ownersFile());
    writeSettings(system);
    const fault = system.isThisMachine ? prepareMachine(system) : undefined;
    if (fault !== undefined) return refuse("not-applied", fault);
    reportSteps(running, system, nextSteps(system));
    return undefined;
  });
}

function refuseHidden(): Refusal | undefined {
  const { root, node, command } = programPaths();
  const reason = [node, command].map(unreadable).find((each) => each !== undefined);
  if (reason === undefined) return undefined;
  return refuse(
    "not-applied",
    `The service runs as the user ${USER}, which cannot run ${root}: ${reason}. Nothing was changed.`,
    `Install Backplane for every user first, such as with: npm install -g --prefix /usr/local ./backplane-${VERSION}.tgz`,
  );
}

/** Ours to replace: changes belong in a drop-in. */
function write(system: System, name: string, text: string): void {
  const path = system.path(name);
  if (existsSync(path) && readFileSync(path, "utf8") === text) {
    system.steps.push({ what: name, did: "unchanged" });
    return;
  }
  system.step(name, existsSync(path) ? "replaced" : "written", () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, text);
    chmodSync(path, 0o644);
  });
}

/** Theirs to change: only the first ones are written. */
function writeSettings(system: System): void {
  const folder = system.path(PLACES.settings);
  const file = system.path(SETTINGS_FILE);
  const link = system.path(SETTINGS_LINK);
  if (existsSync(file)) system.steps.push({ what: SETTINGS_FILE, did: "kept" });
  else {
    system.step(SETTINGS_FILE, "written", () => {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o750);
      writeFileSync(file, settingsFile(), { mode: 0o640, flag: "wx" });
      chmodSync(file, 0o640);
    });
  }
  const target = basename(SETTINGS_FILE);
  const isLinked = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === target;
  if (isLinked) system.steps.push({ what: SETTINGS_LINK, did: "unchanged" });
  else system.step(SETTINGS_LINK, `linked to ${target}`, () => symlinkSync(target, link));
}

/** The account, who may read the settings, and systemd's knowledge of the units. Returns what went wrong. */
function prepareMachine(system: System): string | undefined {
  if (groupId() !== undefined) system.steps.push({ what: `user ${USER}`, did: "kept" });
  else {
    const account = ["--system", "--user-group", "--home-dir", PLACES.state, "--shell", "/usr/sbin/nologin", USER];
    const fault =
      system.run("systemd-sysusers", system.path(USER_FILE)) === undefined
        ? undefined
        : system.run("useradd", ...account);
    if (fault !== undefined) return `The user ${USER} could not be made: ${fault}`;
    system.steps.push({ what: `user ${USER}`, did: "made" });
  }
  const group = groupId();
  if (!system.isDryRun && group !== undefined)
    for (const path of [PLACES.settings, SETTINGS_FILE]) chownSync(system.path(path), 0, group);
  return system.isManaged ? system.run("systemctl", "daemon-reload") : undefined;
}

const nextSteps = ({ isThisMachine, isManaged }: System): string[] => [
  `Data will be in ${PLACES.state}, logs in ${PLACES.logs} and the journal. Look at the settings in ${SETTINGS_FILE}.`,
  isThisMachine && !isManaged
    ? "systemd does not run here. On a machine where it does, start Backplane now and at every boot with:"
    : "Then start Backplane, now and at every boot, with:",
  "  systemctl enable --now backplane",
  "Or only some of its processes, such as:",
  "  systemctl enable --now backplane@platform backplane@gateway",
];
