import { existsSync, lstatSync, rmSync } from "node:fs";
import { openQuestions } from "../questions.ts";
import { refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { groupId, OWNERS_FILE, PLACES, SETTINGS_FILE, UNITS, USER, USER_FILE } from "./places.ts";
import { openSystem, reportSteps, type System, type SystemOptions } from "./system.ts";

export type RemoveOptions = SystemOptions & { purge?: boolean; yes?: boolean };

const DATA = [PLACES.state, PLACES.settings, PLACES.logs] as const;

/** `backplane service remove`. Returns the exit code. */
export function remove(host: NodeJS.Process, options: RemoveOptions): Promise<number> {
  return runCommand(host, options, async (running) => {
    const system = openSystem(host, options);
    if ("exit" in system) return system;
    const { purge = false, yes = false } = options;
    const data = DATA.filter((place) => existsSync(system.path(place)));
    if (purge && !yes && !system.isDryRun && data.length > 0) {
      using questions = openQuestions(host, running.signal);
      const answer = await questions.ask(`Delete ${data.join(", ")} and all that is in them? Type yes: `);
      if (answer !== "yes")
        return refuse("aborted", "Nothing was changed.", "To delete data without a question, add --yes.");
    }
    const fault = system.isManaged ? stop(system) : undefined;
    if (fault !== undefined) return refuse("not-applied", `The service could not be stopped: ${fault}`);
    for (const name of [...UNITS, USER_FILE, OWNERS_FILE, PLACES.cache]) removePath(system, name);
    for (const name of DATA) {
      if (purge) removePath(system, name);
      else if (data.includes(name)) system.steps.push({ what: name, did: "kept" });
    }
    if (system.isThisMachine) forgetMachine(system, purge);
    reportSteps(running, system, purge || data.length === 0 ? [] : [keptSentence]);
    return undefined;
  });
}

const keptSentence = `Your data is still in ${PLACES.state}, your settings in ${SETTINGS_FILE}. To delete both: backplane service remove --purge`;

const stop = (system: System): string | undefined =>
  existsSync(system.path(UNITS[0]))
    ? (system.run("systemctl", "disable", "--now", "backplane.service") ??
      system.run("systemctl", "stop", "backplane@*.service"))
    : undefined;

function removePath(system: System, name: string): void {
  const path = system.path(name);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  system.step(name, "removed", () => rmSync(path, { recursive: true }));
}

function forgetMachine(system: System, purge: boolean): void {
  if (system.isManaged) system.run("systemctl", "daemon-reload");
  if (groupId() === undefined) return;
  // Without it, files that are left would belong to a number that the next account may get.
  if (!purge) system.steps.push({ what: `user ${USER}`, did: "kept" });
  else if (system.run("userdel", USER) === undefined) system.steps.push({ what: `user ${USER}`, did: "removed" });
}
