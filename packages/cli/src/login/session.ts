import type { SessionOptions } from "@backplane/sdk";
import { openTokenStore } from "@backplane/sdk/tokens";
import { loginCommand } from "../explain-error.ts";
import { ownPath } from "../own-path.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { type Outcome, type Running, runCommand } from "../run.ts";
import { commandSettings } from "../running.ts";

/** Options of every command that calls a Backplane. */
export type ServerOptions = { url?: string; allowHttp?: boolean; json?: boolean };

type Host = Pick<NodeJS.Process, "env" | "cwd">;

/** One form of the address, so that one Backplane has one session. What is not an address is refused by the sdk. */
const inOneForm = (url: string): string => (URL.canParse(url) ? new URL(url).href : url).replace(/(?<!\/)\/+$/, "");

/** The Backplane to use: the option, or else the settings of the environment and the working folder, or else one that runs. */
export const baseUrlOf = (host: Host, { url }: ServerOptions): string =>
  inOneForm(url ?? commandSettings(host).baseUrl);

/**
 * The same for a token from the environment, but without .env: a file in the working folder, which somebody else may
 * have written, must not decide where the token is sent.
 */
const baseUrlOfToken = (host: Host, { url }: ServerOptions): string =>
  inOneForm(url ?? commandSettings(host, { envFile: false }).baseUrl);

/** The token store keeps one file per provider and user: here the provider is a Backplane, and the user this account. */
const USER = "session";

export type StoredSession = { sessionToken: string; expiresAt: number; allowHttp: boolean };

export type SessionStore = {
  pathOf(baseUrl: string): string;
  read(baseUrl: string): Promise<StoredSession | undefined>;
  write(baseUrl: string, session: StoredSession): Promise<void>;
  remove(baseUrl: string): Promise<boolean>;
  /** Every Backplane with a stored session. */
  baseUrls(): Promise<string[]>;
};

/** One file per Backplane in ~/.backplane/sessions, readable by this account only. */
export function openSessionStore(host: Pick<NodeJS.Process, "env">): SessionStore {
  const files = openTokenStore({ folder: ownPath(host, "sessions") });
  return {
    pathOf: (baseUrl) => files.pathOf(baseUrl, USER),
    async read(baseUrl) {
      const record = await files.read(baseUrl, USER);
      if (record === undefined) return undefined;
      const { accessToken, expiresAt, allowHttp } = record;
      return { sessionToken: accessToken, expiresAt, allowHttp: allowHttp === true };
    },
    write: (baseUrl, { sessionToken, ...others }) =>
      files.write(baseUrl, USER, { accessToken: sessionToken, ...others }),
    remove: (baseUrl) => files.remove(baseUrl, USER),
    async baseUrls() {
      const entries = await files.list();
      return entries.filter(({ user }) => user === USER).map(({ provider }) => provider);
    },
  };
}

export type Session = SessionOptions & { baseUrl: string };

/** Runs a command with the session of this account. Returns the exit code. */
export const withSession = (
  host: NodeJS.Process,
  options: ServerOptions,
  use: (session: Session, running: Running) => Promise<Outcome>,
): Promise<number> =>
  runCommand(host, options, async (running) => {
    const isEnvironmentToken = environmentToken(host) !== undefined;
    const baseUrl = (isEnvironmentToken ? baseUrlOfToken : baseUrlOf)(host, options);
    Object.assign(running.context, { baseUrl, isEnvironmentToken });
    const session = await findSession(host, options, baseUrl);
    return isRefusal(session) ? session : use({ ...session, baseUrl, signal: running.signal }, running);
  });

async function findSession(
  host: NodeJS.Process,
  { allowHttp }: ServerOptions,
  baseUrl: string,
): Promise<Pick<SessionOptions, "sessionToken" | "allowHttp"> | Refusal> {
  const token = environmentToken(host);
  if (token !== undefined) return { sessionToken: token, allowHttp };
  const store = openSessionStore(host);
  const session = await store.read(baseUrl);
  if (session === undefined) return notSignedIn(baseUrl, await store.baseUrls());
  return { sessionToken: session.sessionToken, allowHttp: allowHttp === true || session.allowHttp };
}

/** A token for programs such as continuous integration. */
export const environmentToken = ({ env }: Pick<NodeJS.Process, "env">): string | undefined =>
  env.BACKPLANE_TOKEN?.trim() || undefined;

/** Why a command without a session was refused. */
export function notSignedIn(baseUrl: string, elsewhere: readonly string[] = []): Refusal {
  const others = elsewhere.map((url) => `There is a session for ${url}: add --url ${url}`);
  return refuse("not-signed-in", `You are not signed in at ${baseUrl}.`, `Run ${loginCommand(baseUrl)}`, ...others);
}
