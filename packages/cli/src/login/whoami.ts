import { getUser } from "@backplane/sdk";
import { plain } from "../connect/plain.ts";
import { endOf } from "../connect/spans.ts";
import { openTerminal, SHAPES, table } from "../terminal.ts";
import type { PlaceOptions } from "./options.ts";
import { environmentToken, withSession } from "./with-session.ts";

const KINDS = { Application: "a program's session", Browser: "a browser's session", ApiKey: "an API key" };

/** `backplane whoami`. Returns the exit code: 0 only when somebody is signed in. */
export function whoami(host: NodeJS.Process, options: PlaceOptions): Promise<number> {
  return withSession(host, options, async (as) => {
    const { session, ...user } = await getUser(as);
    if (options.json === true) {
      const expiresAt = session.expiresAt ?? null;
      const answer = { baseUrl: as.baseUrl, user, session: { ...session, expiresAt } };
      host.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
      return undefined;
    }
    const out = openTerminal(host.stdout);
    const name = plain(user.displayName) || plain(user.name);
    out.line(`${out.paint("ok", SHAPES.ok)} ${out.paint("strong", name)}, signed in at ${as.baseUrl}`);
    const from = environmentToken(host) === undefined ? "" : ", from BACKPLANE_TOKEN";
    const rows = [
      ["Name", plain(user.name)],
      ["Email", plain(user.email)],
      ["By", `${KINDS[session.kind]}, "${plain(session.name)}"${from}`],
      ["Good", session.expiresAt === undefined ? "until it is revoked" : endOf(session.expiresAt, Date.now())],
    ];
    for (const line of table(rows)) out.line(line);
    return undefined;
  });
}
