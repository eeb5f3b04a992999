import { plainFetch } from "@backplane/kit/plain-fetch";
import { endSession, getUser, listSessions, type Membership, type Session, signOut } from "@backplane/sdk";
import { endOf } from "../expiry.ts";
import { explainForCli } from "../explain-error.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { openTerminal, SHAPES, table } from "../terminal.ts";
import { plain, spanOf } from "../text.ts";
import {
  baseUrlOf,
  environmentToken,
  notSignedIn,
  openSessionStore,
  type ServerOptions,
  withSession,
} from "./session.ts";

const KINDS = { Application: "a program's session", Browser: "a browser's session", ApiKey: "an API key" };

/** `backplane whoami`. Returns the exit code: 0 only when somebody is signed in. */
export function whoami(host: NodeJS.Process, options: ServerOptions): Promise<number> {
  return withSession(host, options, async (as) => {
    const { session, ...user } = await getUser({ ...as, fetch: plainFetch });
    if (options.json === true) {
      const expiresAt = session.expiresAt ?? null;
      const answer = { baseUrl: as.baseUrl, user, session: { ...session, expiresAt } };
      host.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
      return undefined;
    }
    const out = openTerminal(host.stdout, host.env);
    const name = plain(user.displayName) || plain(user.name);
    out.line(`${out.paint("ok", SHAPES.ok)} ${out.paint("strong", name)}, signed in at ${as.baseUrl}`);
    const from = environmentToken(host) === undefined ? "" : ", from BACKPLANE_TOKEN";
    const rows = [
      ["Name", plain(user.name)],
      ["Email", plain(user.email)],
      ["Using", `${KINDS[session.kind]}, "${plain(session.name)}"${from}`],
      ["Valid", session.expiresAt === undefined ? "until it is revoked" : endOf(session.expiresAt, Date.now())],
    ];
    if (user.organisations.length > 0) rows.push(["Member of", namesOf(user.organisations)]);
    if (user.invitations.length > 0) rows.push(["Invited to", namesOf(user.invitations)]);
    for (const line of table(rows)) out.line(line);
    if (user.invitations.length > 0) out.line(`Accept or decline at ${as.baseUrl}/account#organisations`);
    return undefined;
  });
}

const namesOf = (organisations: readonly Membership[]): string =>
  organisations.map(({ name, role }) => (role === "owner" ? `${plain(name)} (owner)` : plain(name))).join(", ");

/** Enough of an id to tell sessions apart. */
const SHORT_ID_LENGTH = 8;

/** `backplane sessions`, with `--end` to end one. Returns the exit code. */
export function sessions(host: NodeJS.Process, options: ServerOptions & { end?: string }): Promise<number> {
  return withSession(host, options, async (as) => {
    const all = await listSessions({ ...as, fetch: plainFetch });
    if (options.end === undefined) {
      if (options.json === true) host.stdout.write(`${JSON.stringify({ sessions: all }, undefined, 2)}\n`);
      else show(host, all, Date.now());
      return undefined;
    }
    const found = find(all, options.end);
    if (isRefusal(found)) return found;
    await endSession({ ...as, id: found.id });
    if (options.json === true) host.stdout.write(`${JSON.stringify({ event: "ended", id: found.id })}\n`);
    else {
      const out = openTerminal(host.stdout, host.env);
      out.line(`${out.paint("off", SHAPES.off)} "${plain(found.name)}" at ${plain(found.address)} is signed out.`);
    }
    return undefined;
  });
}

function find(all: readonly Session[], id: string): Session | Refusal {
  const matching = all.filter((one) => one.id.startsWith(id));
  const [found] = matching;
  if (id === "" || found === undefined) {
    return refuse("unknown-session", "No session has this id.", "List them with: backplane sessions");
  }
  if (matching.length > 1) {
    return refuse("ambiguous-session", `${matching.length} session ids begin with this.`, "Give more characters.");
  }
  // Ending it by mistake would mean signing in again.
  if (found.isCurrent) {
    return refuse("current-session", "This command uses this session.", "End it with: backplane logout");
  }
  return found;
}

function show(host: NodeJS.Process, all: readonly Session[], nowMs: number): void {
  const out = openTerminal(host.stdout, host.env);
  const rows = all.map((one) => [
    one.id.slice(0, SHORT_ID_LENGTH),
    plain(one.name),
    one.kind.toLowerCase(),
    plain(one.program ?? "unknown"),
    plain(one.address),
    one.isCurrent ? "this one" : `used ${spanOf(Math.max(0, nowMs - one.lastUsedAt))} ago`,
    endOf(one.expiresAt, nowMs),
  ]);
  for (const [index, line] of table(rows).entries()) {
    const tone = all[index]?.isCurrent === true ? "ok" : "off";
    out.line(`  ${out.paint(tone, SHAPES[tone])}${line.slice(1)}`);
  }
  const other = all.find(({ isCurrent }) => !isCurrent);
  if (other === undefined) return;
  out.line();
  out.hint(`End one with: backplane sessions --end ${other.id.slice(0, SHORT_ID_LENGTH)}`);
}

/** `backplane logout`: ends the session at the server, then forgets it. Returns the exit code. */
export function logout(host: NodeJS.Process, options: ServerOptions & { force?: boolean }): Promise<number> {
  return runCommand(host, options, async ({ signal, context }) => {
    const baseUrl = baseUrlOf(host, options);
    context.baseUrl = baseUrl;
    const store = openSessionStore(host);
    // With --force, a file that cannot be read is removed.
    const session = await store.read(baseUrl).catch((error) => {
      if (options.force !== true) throw error;
      return { sessionToken: "", allowHttp: false };
    });
    if (session === undefined) return notSignedIn(baseUrl, await store.baseUrls());
    const { sessionToken } = session;
    const allowHttp = options.allowHttp === true || session.allowHttp;
    const fault: unknown = await signOut({ baseUrl, allowHttp, sessionToken, signal }).then(
      () => undefined,
      (error) => error,
    );
    const isEnded = fault === undefined;
    if (signal.aborted) throw fault;
    if (!isEnded && options.force !== true) {
      const refusal = explainForCli(fault, { baseUrl });
      return { ...refusal, message: `${refusal.message}\nOr forget the session here without ending it: --force` };
    }
    await store.remove(baseUrl);
    if (options.json === true) {
      host.stdout.write(`${JSON.stringify({ event: "signed-out", baseUrl, isEnded })}\n`);
      return undefined;
    }
    const out = openTerminal(host.stdout, host.env);
    if (isEnded) out.line(`${out.paint("off", SHAPES.off)} Signed out at ${baseUrl}.`);
    else {
      out.line(`${out.paint("warn", SHAPES.warn)} The session is forgotten here, but not ended at ${baseUrl}.`);
      out.line("  End it there: sign in with a browser and open your account.");
    }
    if (environmentToken(host) !== undefined) {
      out.line(
        `${out.paint("warn", SHAPES.warn)} BACKPLANE_TOKEN is set and still works. Unset it, or end it at Backplane.`,
      );
    }
    return undefined;
  });
}
