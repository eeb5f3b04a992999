import { getUser, openWorkspace, type Workspace } from "@backplane/sdk";
import { type ServerOptions, type Session, withSession } from "../login/session.ts";
import { refuse } from "../refusal.ts";
import type { Outcome, Running } from "../run.ts";

/** Options of every command of a workspace. */
export type PanelFlags = ServerOptions & { workspace?: string };

export type OpenFlags = PanelFlags & {
  name?: string;
  address?: string;
  file?: string;
  state?: string;
  panel?: string;
  right?: boolean;
  below?: boolean;
  reuse?: boolean;
  background?: boolean;
  proxy?: boolean;
};

export type ShotFlags = PanelFlags & {
  scope?: "panel" | "workspace" | "screen";
  method?: "element-capture" | "html2canvas";
  name?: string;
  reason?: string;
  wait?: number;
  max?: number;
  out?: string;
  to?: "viewer";
};

export type PanelContext = Running & { session: Session };

export type WorkspaceContext = PanelContext & {
  workspace: Workspace;
  /** As people write it: owner/repo. */
  name: string;
};

/** Runs a command that needs a session, but no workspace. Returns the exit code. */
export const withPanels = (
  host: NodeJS.Process,
  options: PanelFlags,
  use: (context: PanelContext) => Promise<Outcome>,
): Promise<number> => withSession(host, options, (session, running) => use({ ...running, session }));

/** The default workspace. */
const DEFAULT_REPO = "main";

/** Runs a command on a workspace. Returns the exit code. */
export const withWorkspace = (
  host: NodeJS.Process,
  options: PanelFlags,
  use: (context: WorkspaceContext) => Promise<Outcome>,
): Promise<number> =>
  withPanels(host, options, async (panels) => {
    const { session, context } = panels;
    const named = options.workspace ?? (host.env.BACKPLANE_WORKSPACE?.trim() || undefined);
    const [owner, repo, ...more] = named?.split("/") ?? [(await getUser(session)).name, DEFAULT_REPO];
    if (!owner || !repo || more.length > 0) {
      return refuse("bad-workspace", `"${named}" is not a workspace.`, "Use owner/name, such as fieldworks/rover");
    }
    const workspace = openWorkspace({ ...session, owner, repo });
    context.page = workspace.page;
    return use({ ...panels, workspace, name: `${owner}/${repo}` });
  });
