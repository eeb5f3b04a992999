import { Problem } from "@backplane/kit/problems";
import type { Transaction } from "kysely";
import type { AccountTables } from "../tables.ts";

/** Names that could be mistaken for the instance itself, or that clash with its addresses. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...["about", "account", "accounts", "admin", "administrator", "api", "app", "assets", "auth", "authentication"],
  ...["backplane", "billing", "blog", "callback", "cdn", "config", "contact", "docs", "download", "downloads"],
  ...["everyone", "explore", "favicon.ico", "gateway", "guest", "health", "help", "home", "index.html", "intent"],
  ...["intents", "invitations", "join", "legal", "login", "logout", "mail", "mcp", "me", "metrics", "moderator"],
  ...["new", "nobody", "null", "oauth", "official", "openapi.json", "openid", "organisation", "organisations", "owner"],
  ...["organization", "organizations", "overview", "packages", "panels", "passkeys", "password", "postmaster"],
  ...["privacy", "public", "ready", "register", "registry", "robots.txt", "root", "search", "security", "sessions"],
  ...["settings", "sign-in", "signin", "signup", "static", "status", "support", "system", "terms", "undefined"],
  ...["user", "users", "viewer", "w", "watchdog", "web", "webmaster", "well-known", "workspace", "workspaces", "www"],
]);

/**
 * How names and email addresses are compared, on every engine: only ASCII letters have two cases. JavaScript and PostgreSQL
 * also turn some foreign letters into ASCII ones, such as the Kelvin sign into "k", and SQLite does not.
 */
export const foldName = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

export type NameHolder = { userId: string } | { organisationId: string };

/** People and organisations share one set of names. 409 when the name is taken or reserved. */
export async function claimName(
  transaction: Transaction<AccountTables>,
  name: string,
  holder: NameHolder,
): Promise<void> {
  const key = foldName(name);
  if (RESERVED_NAMES.has(key)) throw nameTaken("is reserved");
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto("owner_names")
    .values({
      name: key,
      user_id: "userId" in holder ? holder.userId : null,
      organisation_id: "organisationId" in holder ? holder.organisationId : null,
    })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw nameTaken("is taken");
}

export const nameTaken = (message: "is taken" | "is reserved") =>
  new Problem("name-taken", {
    detail: `This name ${message}. Choose another one.`,
    errors: [{ pointer: "/name", message }],
  });

export const emailTaken = () =>
  new Problem("email-taken", {
    detail: "This email address already has an account. Sign in, or use another address.",
    errors: [{ pointer: "/email", message: "has an account" }],
  });
