import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AccountTables } from "@backplane/accounts";
import { makeResetLink } from "@backplane/accounts/password-resets";
import { type Database, openDatabase } from "@backplane/kit/database";
import { isLoopbackUrl } from "@backplane/kit/loopback";
import type { Settings } from "@backplane/kit/settings";
import { type Refusal, refuse } from "./refusal.ts";
import { runCommand } from "./run.ts";
import { commandSettings } from "./running.ts";
import { plain, spanOf } from "./text.ts";

/**
 * `backplane reset-password NAME`: makes a link with which that person chooses a new password. It writes to the database
 * itself, so that it also helps the owner, who has nobody to ask. Returns the exit code.
 */
export function resetPassword(host: NodeJS.Process, name: string, options: { json?: boolean }): Promise<number> {
  return runCommand(host, options, async ({ out, answer }) => {
    const settings = commandSettings(host);
    const nowMs = Date.now();
    const made = await makeLink(settings, name, nowMs);
    if ("code" in made) return made;
    const { url, expiresAtMs } = made;
    answer({ url, expiresAt: new Date(expiresAtMs).toISOString() }, () => {
      out.line(
        `Open this address to choose a new password for ${plain(name)}. It works once, for ${spanOf(expiresAtMs - nowMs)}:`,
      );
      out.line(`\n${out.paint("accent", url)}\n`);
      if (isLoopbackUrl(url)) {
        out.line(
          "It opens only on this machine. Set BASE_URL to an address that others can reach before you send one.",
        );
      }
      out.line("All sessions and API keys of the account end when the new password is saved.");
    });
    return undefined;
  });
}

async function makeLink(
  { databaseUrl, home, authUrl }: Settings,
  name: string,
  nowMs: number,
): Promise<{ url: string; expiresAtMs: number } | Refusal> {
  // Opening a SQLite file that is missing would create it.
  if (databaseUrl === undefined && !existsSync(join(home, "backplane.db"))) {
    return refuse(
      "not-found",
      `There is no database in ${home}.`,
      "Run this with the settings of your Backplane: in its folder, or with its BACKPLANE_HOME or DATABASE_URL.",
    );
  }
  const database: Database<AccountTables> = await openDatabase({ url: databaseUrl, home, onLostConnection: () => {} });
  try {
    const tables = await database.durable.introspection.getTables();
    if (!tables.some((table) => table.name === "password_resets")) {
      return refuse(
        "not-ready",
        "The database has not been used by this version of Backplane yet.",
        "Start it once with: backplane up",
      );
    }
    const made = await makeResetLink(database, { name, madeBy: null, authUrl, nowMs });
    return typeof made === "string"
      ? refuse("not-found", `There is no account with the name ${plain(name)}.`, "Check the spelling.")
      : made;
  } finally {
    await database.close();
  }
}
