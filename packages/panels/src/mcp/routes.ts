import { PANELS_LIMITS, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { serveMessages } from "@backplane/kit/mcp";
import { type FieldFault, Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { CURRENT } from "../route-options.ts";
import type { Services } from "../services.ts";
import { ToolFault } from "./faults.ts";
import type { PanelsHandler } from "./handler.ts";
import type { WorkspaceCalls } from "./tools.ts";

/** A message with the longest code, every character escaped. */
const MAX_MESSAGE_BYTES = 2 * PANELS_LIMITS.maxCodeBytes + 65_536;

/** …/current/mcp: the tools for AI clients, over HTTP. */
export function serveMcp(app: App, { workspaces, settings }: Pick<Services, "workspaces" | "settings">): void {
  // Loaded with the first message: few workspaces are driven this way, and the SDK would slow down every start.
  let loading: Promise<PanelsHandler> | undefined;
  const load = () => {
    loading ??= import("./handler.ts").then(({ createPanelsHandler }) =>
      createPanelsHandler({
        maxMessageBytes: MAX_MESSAGE_BYTES,
        // Mostly mistakes of callers, who get an error.
        onError: (error) => app.log.debug({ err: error }, "MCP"),
      }),
    );
    return loading;
  };
  app.addHook("preClose", async () => (await loading)?.close());

  serveMessages(app, {
    url: `${CURRENT}/mcp`,
    schema: { params: WorkspaceParams },
    maxBodyBytes: MAX_MESSAGE_BYTES,
    check: refuseCookie,
    answer: async (...message) => (await load()).answer(...message),
    async extraOf(request) {
      const { workspace } = await workspaces.open(request);
      const { owner, repo } = workspace;
      const page = `${settings.baseUrl}/w/${owner}/${repo}`;
      return { workspace: { owner, repo, page, call: callAs(app, request) } satisfies WorkspaceCalls };
    },
  });
}

/** What a browser adds by itself is not enough here: an MCP client has a token of its own. */
function refuseCookie({ headers }: FastifyRequest): void {
  if (headers.authorization !== undefined || headers["x-api-key"] !== undefined) return;
  throw new Problem("not-signed-in", {
    detail: "MCP needs a session token or an API key, as Authorization: Bearer or X-Api-Key.",
    headers: { "www-authenticate": "Bearer" },
  });
}

const FIRST_REFUSAL = 400;

/** Calls of the HTTP API by whoever sent this request, without a connection. Each is checked like any other. */
function callAs(app: App, { ip, headers }: FastifyRequest): WorkspaceCalls["call"] {
  const { authorization, "x-api-key": apiKey, "user-agent": agent, host } = headers;
  const sent = { authorization, "x-api-key": apiKey, "user-agent": agent, host };
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  return async (method, path, body) => {
    const { statusCode, payload } = await app.inject({
      ...{ method, url: path, remoteAddress: ip },
      headers: { ...given, accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    });
    const answer: unknown = payload === "" ? undefined : JSON.parse(payload);
    if (statusCode < FIRST_REFUSAL) return answer;
    const { code, title, detail, errors } = answer as Refused;
    throw new ToolFault(code, detail ?? title, errors);
  };
}

type Refused = { code: string; title: string; detail?: string; errors?: FieldFault[] };
