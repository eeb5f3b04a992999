import type { Command } from "commander";

export type Add = (name: string, description: string, parent?: Command) => Command;

/** Adds commands that work on a workspace, with the options that all of them have. */
export const workspaceCommands =
  (among: Command): Add =>
  (name, description, parent = among) =>
    parent
      .command(name)
      .description(description)
      .option("--workspace <owner/name>", "the workspace")
      .option(
        "--url <url>",
        "Backplane's address (default: BASE_URL, or the one that runs here, or http://localhost:8790)",
      )
      .option("--allow-http", "allow an address without https on another machine")
      .option("--json", "print JSON");
