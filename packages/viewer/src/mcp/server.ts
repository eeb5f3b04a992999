import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@backplane/kit/log";
import { refusalAnswer } from "@backplane/kit/mcp";
import { Problem } from "@backplane/kit/problems";
import { VERSION } from "@backplane/kit/version";
import {
  type CallToolResult,
  createRequestStateCodec,
  type McpRequestContext,
  McpServer,
} from "@modelcontextprotocol/server";
import type { ViewerAccess } from "../services.ts";
import { LATEST_TOOL, latest, latestTool, type Round } from "./latest-tool.ts";
import { MCP_LIMITS, type McpLimits } from "./limits.ts";
import { openPage, PASTE_TOOL, pasteTool } from "./paste-tool.ts";
import { pasteResource, pasteTemplate, readPaste, readWidget, WIDGET_URI, widgetResource } from "./resources.ts";
import type { SamplingMode } from "./sampling.ts";
import { saveUpload, UPLOAD_TOOL, uploadTool } from "./upload-tool.ts";

export type McpOptions = {
  access: ViewerAccess;
  /** Over HTTP each request has its own server, so clients with an older protocol cannot be asked anything back. */
  transport: "http" | "stdio";
  log: Pick<Log, "error">;
  /** Aborts when the server stops; waiting calls end. */
  closing: AbortSignal;
  limits?: Partial<McpLimits>;
};

const IDENTITY = { name: "viewer", title: "Backplane viewer", version: VERSION };

const INSTRUCTIONS = [
  "Screenshots that a person pastes, as files of the project.",
  "av_screenshot_paste opens the page for it; av_screenshot_latest with wait_seconds waits for the next screenshot and returns its path.",
].join(" ");

/** Returns a function that creates a server for the protocol era of a request. What is expensive is created once. */
export function mcpServers(options: McpOptions): (context: Pick<McpRequestContext, "era">) => McpServer {
  const { access, transport, log, closing } = options;
  const limits = { ...MCP_LIMITS, ...options.limits };
  const waitingCalls = { count: 0 };
  const rounds = createRequestStateCodec<Round>({ key: randomBytes(32) });
  const template = pasteTemplate(access);

  return ({ era }) => {
    const samplingMode: SamplingMode = era === "modern" ? "round" : transport === "stdio" ? "request" : "never";
    // Without sessions there is no open connection to a client of the older era.
    const sendsChanges = era === "modern" || transport === "stdio";
    const server = new McpServer(IDENTITY, {
      instructions: INSTRUCTIONS,
      // Declared up front: otherwise each registration would be announced as a change of the list.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: sendsChanges } },
      requestState: { verify: rounds.verify },
    });
    const shared = { access, server, samplingMode, waitingCalls, rounds, limits, closing };
    server.registerTool(PASTE_TOOL, pasteTool, (input) => answering(log, () => openPage(access, input)));
    server.registerTool(LATEST_TOOL, latestTool, (input, context) =>
      answering(log, () => latest(shared, input, context)),
    );
    server.registerTool(UPLOAD_TOOL, uploadTool, (input) => answering(log, () => saveUpload(access, input)));
    server.registerResource("paste", template, pasteResource, (uri, variables) => readPaste(access, uri, variables));
    server.registerResource("screenshot-paste", WIDGET_URI, widgetResource, () => readWidget(access.project));
    return server;
  };
}

/** Runs a tool; a problem becomes an error result with its code, message and fields. */
async function answering<Result>(
  log: Pick<Log, "error">,
  run: () => Promise<Result>,
): Promise<Result | CallToolResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Problem)) log.error({ err: error }, "a tool failed");
    return refusalAnswer(error instanceof Problem ? error : new Problem("internal-error"));
  }
}

/** Calls `onPaste` for each new screenshot until the signal aborts. If the viewer does not answer, tries again later. */
export async function watchPastes(
  access: Pick<ViewerAccess, "next">,
  onPaste: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await access.next(signal);
      onPaste();
    } catch {
      await sleep(MCP_LIMITS.watchAgainMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
