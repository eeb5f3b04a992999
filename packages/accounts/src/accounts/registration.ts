import type { CreateAccount } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import type { AccountTables } from "../tables.ts";
import { insertAccount } from "../users/insert.ts";
import { type Invitations, useInvitation } from "./invitations.ts";

export type Registration = {
  database: Database<AccountTables>;
  invitations: Pick<Invitations, "check">;
  openRegistration: boolean;
  hashPassword(password: string): Promise<string>;
  now: Clock;
};

/** Makes the account and uses up the invitation, together or not at all; returns the account's id. */
export async function register(
  { database, invitations, openRegistration, hashPassword, now }: Registration,
  { invitation, name, email, display_name, password }: CreateAccount,
): Promise<string> {
  const found = invitation === undefined ? "unknown" : await invitations.check(invitation);
  // Before the hash: it is dear, and whoever may not register shall not make us pay it.
  if (found === "ended") throw invitationEnded();
  if (found === "unknown" && !openRegistration) {
    throw new Problem("registration-closed", { detail: "Ask the owner of this instance for an invitation." });
  }
  const passwordHash = await hashPassword(password);
  return database.durable.transaction().execute(async (transaction) => {
    const nowMs = now();
    if (invitation !== undefined && found !== "unknown") {
      const used = await useInvitation(transaction, invitation, name, nowMs);
      if (!used) throw invitationEnded();
    }
    return insertAccount(transaction, { name, displayName: display_name?.trim() ?? "", email, passwordHash }, nowMs);
  });
}

const invitationEnded = () =>
  new Problem("invitation-ended", {
    detail: "Ask for a new one.",
    errors: [{ pointer: "/invitation", message: "was used or has expired" }],
  });
