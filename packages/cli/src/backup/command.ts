import { type Command, Option } from "commander";
import { action } from "../command.ts";

const PASSPHRASE = "a file whose first line is the passphrase (BACKUP_PASSPHRASE_FILE)";

/** `backplane backup`, `restore` and `move`. */
export function addBackupCommands(program: Command): void {
  const backup = program
    .command("backup")
    .description("copy everything into one file: accounts, packages, files, screenshots, keys; also while it runs")
    .option("--to <place>", "a file that ends with .tar, a folder, or s3://bucket/prefix (BACKUP_TO)")
    .option("--passphrase-file <file>", `encrypt it with ${PASSPHRASE}`)
    .option("--ask-passphrase", "encrypt it with a passphrase that is asked for")
    .option("--json", "print the result as JSON")
    .addOption(new Option("--record <id>").hideHelp())
    .addHelpText(
      "after",
      `
Run it on a machine that has the settings of your Backplane. The file is a tar, or with a passphrase an age file:
  tar tf FILE.tar                 age -d FILE.tar.age | tar t`,
    )
    .action(action(async () => (await import("./backup.ts")).backup));
  backup
    .command("verify <place>")
    .description("check every byte of a backup")
    .option("--passphrase-file <file>", PASSPHRASE)
    .option("--json", "print the result as JSON")
    .action(action(async () => (await import("./backup.ts")).verify));
  backup
    .command("list")
    .description("list the backups at BACKUP_TO")
    .option("--json", "print them as JSON")
    .action(action(async () => (await import("./backup.ts")).list));

  program
    .command("restore [place]")
    .description("fill an empty home folder and database with a backup; Backplane must not run")
    .option("--undo", "clean up after a restore that was interrupted")
    .option("--passphrase-file <file>", PASSPHRASE)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
It fills BACKPLANE_HOME, by default .backplane in this folder, and the screenshots of VIEWER_PROJECT, by default this folder.
Nothing is ever overwritten. It prints where everything is, and how to start it.`,
    )
    .action(action(async () => (await import("./restore.ts")).restore));

  program
    .command("move")
    .description(
      "copy all tables into another database, and archives into another store: SQLite to PostgreSQL, a folder to S3, or back; Backplane must not run",
    )
    .option(
      "--to <database>",
      "postgres://… , or sqlite: for the file in BACKPLANE_HOME; - reads it from standard input",
    )
    .option("--archives-to <store>", "s3://bucket/prefix, or folder: for the folder in BACKPLANE_HOME")
    .option("--json", "print the result as JSON")
    .action(action(async () => (await import("./move.ts")).move));
}
