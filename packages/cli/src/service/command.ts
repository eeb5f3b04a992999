import type { Command } from "commander";
import { action } from "../command.ts";

/** `backplane service`: units for systemd. */
export function addServiceCommand(program: Command): void {
  const service = program
    .command("service")
    .description("run Backplane as a service of this machine: install and remove units for systemd")
    .addHelpText(
      "after",
      `
backplane.service runs everything, as backplane up does. backplane@platform, @gateway, @watchdog and @viewer each run one process.
Settings are in /etc/backplane/backplane.env, data in /var/lib/backplane, logs in /var/log/backplane and the journal.`,
    );
  const add = (name: string, description: string) =>
    service
      .command(name)
      .description(description)
      .option("--dry-run", "print what would be done")
      .option("--root <folder>", "work on the system in this folder, such as one for an image")
      .option("--json", "print JSON");
  add("install", "write the units, the user and the first settings; run it again after an update").action(
    action(async () => (await import("./install.ts")).install),
  );
  add("remove", "stop the service and remove its units; data and settings stay")
    .option("--purge", "delete data, settings, logs and the user as well")
    .option("--yes", "do not ask before data is deleted")
    .action(action(async () => (await import("./remove.ts")).remove));
}
