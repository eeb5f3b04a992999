import { getUser, openWorkspace, type SessionOptions, type Workspace } from "@backplane/sdk";
import { type CallExits, tellingCalls } from "../calls/telling-calls.ts";
import { badInput, CONNECT_EXIT, type Refusal } from "../connect/refusal.ts";
import { withSession } from "../login/with-session.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import type { PanelFlags } from "./options.ts";
import { inOwnWords } from "./own-words.ts";

export type Ground = {
  workspace: Workspace;
  /** As people write it: owner/repo. */
  name: string;
  session: SessionOptions & { baseUrl: string };
  out: Terminal;
  /** For programs the value, for people what `say` prints. */
  answer(value: unknown, say: () => void): void;
};

const PANEL_EXITS: CallExits = {
  usage: CONNECT_EXIT.badInput,
  unreachable: CONNECT_EXIT.unreachable,
  notFound: CONNECT_EXIT.failed,
  failed: CONNECT_EXIT.failed,
};

/** Finds the session and asks something of the Backplane as a whole. Returns the exit code. */
export const withPanels = (
  host: NodeJS.Process,
  options: PanelFlags,
  use: (ground: Pick<Ground, "session" | "out" | "answer">) => Promise<Refusal | number | undefined>,
): Promise<number> =>
  withSession(host, options, (session) =>
    tellingCalls(session.baseUrl, PANEL_EXITS, async () => {
      const out = openTerminal(host.stdout);
      const answer: Ground["answer"] = (value, say) =>
        options.json === true ? out.line(JSON.stringify(value)) : say();
      return use({ session, out, answer });
    }),
  );

/** The workspace of somebody who named none. */
const USUAL_REPO = "main";

/** Finds session and workspace and does something there. Returns the exit code. */
export const withWorkspace = (
  host: NodeJS.Process,
  options: PanelFlags,
  use: (ground: Ground) => Promise<Refusal | number | undefined>,
): Promise<number> =>
  withPanels(host, options, async (ground) => {
    const named = options.workspace ?? (host.env.BACKPLANE_WORKSPACE?.trim() || undefined);
    const [owner, repo, ...more] = named?.split("/") ?? [(await getUser(ground.session)).name, USUAL_REPO];
    if (!owner || !repo || more.length > 0) {
      return badInput("bad-workspace", `"${named}" names no workspace.\nUse owner/name, such as fieldworks/rover`);
    }
    const workspace = openWorkspace({ ...ground.session, owner, repo });
    try {
      return await use({ ...ground, workspace, name: `${owner}/${repo}` });
    } catch (error) {
      const refusal = inOwnWords(error, workspace.page);
      if (!refusal) throw error;
      return refusal;
    }
  });
