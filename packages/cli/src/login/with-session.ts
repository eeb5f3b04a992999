import type { SessionOptions } from "@backplane/sdk";
import { CONNECT_EXIT, isRefusal, type Refusal, tell } from "../connect/refusal.ts";
import { type Told, toldToStop } from "../connect/told-to-stop.ts";
import { openKeptSessions } from "./kept-sessions.ts";
import type { PlaceOptions } from "./options.ts";
import { baseUrlOf, baseUrlOfToken } from "./place.ts";
import { notSignedIn, refusalOf } from "./refusal.ts";

/** Finds the session of this account and does something with it. Returns the exit code. */
export async function withSession(
  host: NodeJS.Process,
  options: PlaceOptions,
  use: (session: SessionOptions & { baseUrl: string }) => Promise<Refusal | number | undefined>,
): Promise<number> {
  return telling(
    host,
    options,
    environmentToken(host) === undefined ? baseUrlOf : baseUrlOfToken,
    async (baseUrl, told) => {
      const session = await findSession(host, options, baseUrl);
      return isRefusal(session) ? session : use({ ...session, baseUrl, signal: told.signal });
    },
  );
}

/** Runs `work` for one Backplane, and says what it refuses. A number is an exit code of which all is said. */
export async function telling(
  host: NodeJS.Process,
  options: PlaceOptions,
  placeOf: typeof baseUrlOf,
  work: (baseUrl: string, told: Told) => Promise<Refusal | number | undefined>,
): Promise<number> {
  const json = options.json === true;
  const baseUrl = placeOf(host, options);
  if (typeof baseUrl !== "string") return tell(host, json, baseUrl);
  using told = toldToStop(host);
  const refusal = await work(baseUrl, told).catch((error) => {
    if (told.signal.aborted) return { code: "aborted", message: "Stopped.", exit: told.exitCode() };
    return refusalOf(error, baseUrl);
  });
  if (typeof refusal === "number") return refusal;
  return refusal === undefined ? CONNECT_EXIT.ok : tell(host, json, refusal);
}

async function findSession(
  host: NodeJS.Process,
  { allowHttp }: PlaceOptions,
  baseUrl: string,
): Promise<Pick<SessionOptions, "sessionToken" | "allowHttp"> | Refusal> {
  const token = environmentToken(host);
  if (token !== undefined) return { sessionToken: token, allowHttp };
  const kept = openKeptSessions();
  const session = await kept.read(baseUrl);
  if (session === undefined) return notSignedIn(baseUrl, await kept.places());
  return { sessionToken: session.sessionToken, allowHttp: allowHttp === true || session.allowHttp };
}

/** For continuous integration: read, never written. */
export const environmentToken = ({ env }: Pick<NodeJS.Process, "env">): string | undefined =>
  env.BACKPLANE_TOKEN?.trim() || undefined;
