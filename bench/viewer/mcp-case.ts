import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { createHttpAccess } from "../../packages/viewer/src/client/http-access.ts";
import { readServerFile } from "../../packages/viewer/src/pastes/storage/server-file.ts";
import { programOf } from "../../scripts/programs.ts";
import { BenchFault } from "../harness/fault.ts";
import { quietPatienceMs } from "../harness/limits.ts";
import { nodeServer } from "../harness/node-server.ts";
import { measureInQuiet, watchMachine } from "../harness/quiet.ts";
import { runRounds } from "../harness/rounds.ts";
import { type ServerOptions, startServer } from "../harness/server.ts";
import type { Session } from "../harness/session.ts";
import { measureEach } from "../panels/measure.ts";
import { MCP_CALLS, MCP_WARM_UP_CALLS, NAMING_PATIENCE_MS, QUICK_MCP_CALLS } from "./limits.ts";
import { type Calls, callTool } from "./mcp-calls.ts";

const [OURS, PEER] = ["av_screenshot_latest", "echo on the same library"];

/** A tool call over HTTP to the real process, compared with the minimum that the same library can do. */
export async function tools(session: Session): Promise<void> {
  const title = "Viewer, MCP tools/call";
  session.progress(`${title}: starting`);
  await using stack = new AsyncDisposableStack();
  const project = mkdtempSync(join(tmpdir(), "backplane-bench-"));
  stack.defer(() => rmSync(project, { recursive: true, force: true }));
  const viewer = stack.use(await startServer(viewerOf(project)));
  const echo = stack.use(await startServer(nodeServer(PEER, new URL("./mcp-echo.ts", import.meta.url), "/ready")));
  await pasteOne(project);
  const calls = new Map<string, Calls>([
    [OURS, stack.use(callTool(viewer.url, "av_screenshot_latest", {}))],
    [PEER, stack.use(callTool(echo.url, "echo", { text: "again" }))],
  ]);
  const measure = (label: string, count: number) => {
    const found = calls.get(label);
    if (found === undefined) throw new BenchFault(`There is no ${label}.`);
    return measureEach(() => found.call(), count);
  };
  for (const label of calls.keys()) await measure(label, MCP_WARM_UP_CALLS);

  const count = session.quick ? QUICK_MCP_CALLS : MCP_CALLS;
  const deadlineMs = performance.now() + (session.quick ? 0 : quietPatienceMs);
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, PEER],
    measure: (label) => measureInQuiet(() => withOtherLoad(() => measure(label, count)), deadlineMs, session.signal),
  });
  session.report({
    title,
    description: `${count} calls one after the other on one connection`,
    unit: "calls",
    ours: OURS,
    peers: [PEER],
    rounds,
    measures: ["p50 ms", "p99 ms"],
    targets: [{ measure: "p99 ms", peer: PEER, atMost: 2 }],
  });
}

/** With one call after the other, caller and server work in turn and use about one core; the rest is other work. */
async function withOtherLoad<T>(measure: () => Promise<T>): Promise<T & { othersCores: number }> {
  const busyCores = watchMachine();
  const measured = await measure();
  return { ...measured, othersCores: Math.max(0, busyCores() - 1) };
}

/** The viewer process of a project. */
export const viewerOf = (project: string): ServerOptions => ({
  label: OURS,
  command: process.execPath,
  args: () => [programOf("viewer")],
  env: (port) => ({
    VIEWER_PORT: String(port),
    VIEWER_PROJECT: project,
    BACKPLANE_HOME: "home",
    VIEWER_URL: "",
    NAMER_URL: "",
    HOST: "",
    LOG_LEVEL: "",
  }),
  readyUrl: (port) => `http://127.0.0.1:${port}/ready`,
});

/** What the tool returns: a screenshot with its name. */
async function pasteOne(project: string): Promise<void> {
  const server = await readServerFile(project);
  if (server === undefined) throw new BenchFault("The viewer did not say where it is.");
  const access = createHttpAccess({ url: server.url, secret: server.secret, project, fetch });
  const { id } = await access.paste(await drawScreenshot(), undefined);
  await access.named(id, AbortSignal.timeout(NAMING_PATIENCE_MS));
}

/** 600 × 200, with words that can be recognised. */
export function drawScreenshot(): Promise<Buffer> {
  const words = '<svg width="600" height="200"><text x="20" y="80" font-size="40">Motor driver settings</text></svg>';
  return sharp(Buffer.from(words)).flatten({ background: "#fff" }).png().toBuffer();
}
