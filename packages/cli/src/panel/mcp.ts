import { DEVICE_TOOLS } from "@backplane/devices/mcp";
import { ToolFault, type WorkspaceCalls } from "@backplane/kit/mcp";
import { createWorkspaceServer, moreTools, PANEL_TOOLS } from "@backplane/panels/mcp";
import { CallError } from "@backplane/sdk";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type PanelFlags, withWorkspace } from "./with-workspace.ts";

/** `backplane panel mcp`: until the client closes standard input, or Ctrl-C. */
export const serveMcp = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, name, session }) => {
    const ended = Promise.withResolvers<void>();
    const [owner = "", repo = ""] = name.split("/");
    const calls: WorkspaceCalls = {
      ...{ owner, repo, page: workspace.page },
      call: (...question) => workspace.call(...question).catch(throwToolFault),
    };
    const areas = [PANEL_TOOLS, DEVICE_TOOLS];
    const served = serveStdio(async () => createWorkspaceServer(calls, areas, await moreTools(calls, areas)), {
      onerror: (error) => host.stderr.write(`${error.message}\n`),
    });
    host.stdin.once("end", ended.resolve);
    session.signal?.addEventListener("abort", () => ended.resolve(), { once: true });
    await ended.promise;
    await served.close();
    return undefined;
  });

function throwToolFault(error: unknown): never {
  if (!(error instanceof CallError)) throw error;
  throw new ToolFault(error.problemCode ?? error.code, error.message, error.faults);
}
