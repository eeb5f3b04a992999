import { signOut } from "@backplane/sdk";
import { openTerminal, SHAPES } from "../terminal.ts";
import { openKeptSessions } from "./kept-sessions.ts";
import type { PlaceOptions } from "./options.ts";
import { baseUrlOf } from "./place.ts";
import { notSignedIn, refusalOf } from "./refusal.ts";
import { environmentToken, telling } from "./with-session.ts";

/** `backplane logout`: ends the session at the server, then forgets it. Returns the exit code. */
export function logout(host: NodeJS.Process, options: PlaceOptions & { force?: boolean }): Promise<number> {
  return telling(host, options, baseUrlOf, async (baseUrl, { signal }) => {
    const kept = openKeptSessions();
    // A file that cannot be read holds nothing to end, and can be forgotten by force.
    const session = await kept.read(baseUrl).catch((error) => {
      if (options.force !== true) throw error;
      return { sessionToken: "", allowHttp: false };
    });
    if (session === undefined) return notSignedIn(baseUrl, await kept.places());
    const { sessionToken } = session;
    const allowHttp = options.allowHttp === true || session.allowHttp;
    const fault: unknown = await signOut({ baseUrl, allowHttp, sessionToken, signal }).then(
      () => undefined,
      (error) => error,
    );
    const isEnded = fault === undefined;
    if (signal.aborted) throw fault;
    if (!isEnded && options.force !== true) {
      const refusal = refusalOf(fault, baseUrl);
      return { ...refusal, message: `${refusal.message}\nOr forget the session here without ending it: --force` };
    }
    await kept.remove(baseUrl);
    if (options.json === true) {
      host.stdout.write(`${JSON.stringify({ event: "signed-out", baseUrl, isEnded })}\n`);
      return undefined;
    }
    const out = openTerminal(host.stdout);
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
