import type { Command } from "commander";
import { action } from "../command.ts";

/** `backplane uninstall`: what lies where, and its removal. */
export function addUninstallCommand(program: Command): void {
  program
    .command("uninstall")
    .description("list what Backplane has put where, with sizes, and remove what you ask for")
    .option("--dry-run", "print what lies where, and what would be removed")
    .option("--data", "remove the home folder's contents: database, archives, files of workspaces, logs")
    .option("--screenshots", "remove the screenshots of the project")
    .option("--account", "remove sessions, tokens and packages of this account, in ~/.backplane, and the cache")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Uses the settings of this folder (BACKPLANE_HOME, DATABASE_URL, VIEWER_PROJECT). A PostgreSQL database, an S3 store, units and the
program itself are only listed, with the command that removes them. Nothing is removed while Backplane runs.`,
    )
    .action(action(async () => (await import("./uninstall.ts")).uninstall));
}
