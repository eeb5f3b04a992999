import { PANELS_LIMITS, WorkspaceParams } from "@backplane/contract/panels";
import { limitConcurrency } from "@backplane/kit/concurrency";
import type { App } from "@backplane/kit/http";
import { serveMessages, ToolFault, type WorkspaceCalls } from "@backplane/kit/mcp";
import { type FieldFault, Problem } from "@backplane/kit/problems";
import { createSlots } from "@backplane/kit/slots";
import type { FastifyReply, FastifyRequest } from "fastify";
import { CURRENT } from "../route-options.ts";
import type { Services } from "../services.ts";
import type { MessageExtra, WorkspaceHandler } from "./handler.ts";

/** A message with the longest code, every character escaped. */
const MAX_MESSAGE_BYTES = 2 * PANELS_LIMITS.maxCodeBytes + 65_536;

/**
 * What the calls of one message answer together: a message may be a batch, and its answers wait in memory until they are
 * sent. The call that exceeds it is still answered.
 */
const MAX_ANSWERED_BYTES = 4 * 1024 * 1024;
/** Messages that are not answered, or whose answer is not read. */
const MAX_MESSAGES_PER_PERSON = 16;
const MAX_MESSAGES = 128;

/** Other messages need not know what is in the workspace: a list of it would be made for each of them. */
const MORE_WANTED = /tools\\?\/list|"do_/;

/** …/current/mcp: the tools for AI clients, over HTTP. */
export function serveMcp(
  app: App,
  { workspaces, settings, otherTools }: Pick<Services, "workspaces" | "settings" | "otherTools">,
): void {
  // Loaded with the first message: few workspaces are driven this way, and the SDK would slow down every start.
  let loading: Promise<WorkspaceHandler> | undefined;
  const load = () => {
    loading ??= Promise.all([import("./handler.ts"), otherTools?.()]).then(([{ createWorkspaceHandler }, tools = []]) =>
      createWorkspaceHandler({
        ...{ tools, maxMessageBytes: MAX_MESSAGE_BYTES },
        // Mostly mistakes of callers, who get an error.
        onError: (error) => app.log.debug({ err: error }, "MCP"),
      }),
    );
    return loading;
  };
  app.addHook("preClose", async () => (await loading)?.close());

  const slots = createSlots(MAX_MESSAGES_PER_PERSON, MAX_MESSAGES);
  function takeSlot(userId: string, { raw }: FastifyReply): void {
    const release = slots.take(userId);
    if (!release) {
      throw new Problem("too-many-requests", {
        detail: `At most ${MAX_MESSAGES_PER_PERSON} messages per person are answered at a time. Try again shortly.`,
        headers: { "retry-after": "1" },
      });
    }
    if (raw.destroyed) release();
    else raw.once("close", release);
  }

  serveMessages(app, {
    url: `${CURRENT}/mcp`,
    schema: { params: WorkspaceParams, access: "workspace-tools" },
    maxBodyBytes: MAX_MESSAGE_BYTES,
    check: refuseCookie,
    answer: async (...message) => (await load()).answer(...message),
    async extraOf(request, reply) {
      const { workspace, caller } = await workspaces.open(request);
      takeSlot(caller.userId, reply);
      const { owner, repo } = workspace;
      const page = `${settings.baseUrl}/w/${owner}/${repo}`;
      const wantsMore = MORE_WANTED.test(String(request.body ?? ""));
      return { workspace: { owner, repo, page, call: callAs(app, request) }, wantsMore } satisfies MessageExtra;
    },
  });
}

/** What a browser adds by itself, a cookie or the password for a proxy, is not enough: an MCP client has a token of its own. */
function refuseCookie({ headers }: FastifyRequest): void {
  if (headers["x-api-key"] !== undefined || /^bearer /i.test(headers.authorization ?? "")) return;
  throw new Problem("not-signed-in", {
    detail: "MCP needs a session token or an API key, as Authorization: Bearer or X-Api-Key.",
    headers: { "www-authenticate": "Bearer" },
  });
}

const FIRST_REFUSAL = 400;

/** Calls of the HTTP API by whoever sent this message, without a connection, in turn. Each is checked like any other. */
function callAs(app: App, { ip, headers }: FastifyRequest): WorkspaceCalls["call"] {
  const { authorization, "x-api-key": apiKey, "user-agent": agent, host } = headers;
  const sent = { authorization, "x-api-key": apiKey, "user-agent": agent, host };
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const inTurn = limitConcurrency({ atOnce: 1 });
  let answeredBytes = 0;

  const call: WorkspaceCalls["call"] = async (method, path, body) => {
    if (answeredBytes > MAX_ANSWERED_BYTES) throw tooMuch();
    const { statusCode, payload } = await app.inject({
      ...{ method, url: path, remoteAddress: ip },
      headers: { ...given, accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    });
    answeredBytes += payload.length;
    const answer: unknown = payload === "" ? undefined : JSON.parse(payload);
    if (statusCode < FIRST_REFUSAL) return answer;
    const { code, title, detail, errors } = answer as Refused;
    throw new ToolFault(code, detail ?? title, errors);
  };
  return (...what) => inTurn(() => call(...what));
}

const tooMuch = (): ToolFault =>
  new ToolFault(
    "too-many-requests",
    "The other calls of this batch have answered with several megabytes. Send this one alone.",
  );

type Refused = { code: string; title: string; detail?: string; errors?: FieldFault[] };
