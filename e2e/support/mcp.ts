import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Paste } from "@backplane/contract/viewer";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { freePort } from "../../scripts/services/index.ts";
import { CLI } from "./backplane.ts";
import type { RunningViewer } from "./viewer.ts";

export const ERAS = ["modern", "legacy"] as const;
export type Era = (typeof ERAS)[number];
export const TRANSPORTS = ["http", "stdio"] as const;
export type TransportKind = (typeof TRANSPORTS)[number];

/** A test, or a file's own list of cleanups. */
export type Cleanup = { after(work: () => unknown): void };

/** Generous, for a busy machine. */
const TOOL_MS = 90_000;

/** A new project and home, and how to run `backplane viewer` for it. */
export async function newProject(t: Cleanup, project?: string) {
  const folder = mkdtempSync(join(tmpdir(), "backplane-mcp-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    BACKPLANE_HOME: join(folder, "backplane"),
    VIEWER_PORT: String(await freePort()),
  };
  const of = project ?? folder;
  const args = (...command: string[]) => [CLI, "viewer", ...command, "--project", of];
  return {
    folder,
    project: of,
    env,
    /** For a client's configuration. */
    server: { command: process.execPath, args: args("mcp"), env },
    run: (...command: string[]) => runTool(process.execPath, args(...command), { cwd: folder, env }),
  };
}

export type Ran = { stdout: string; stderr: string };

/** Rejects on a non-zero exit code; the error contains the output. */
export const runTool = (program: string, args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) =>
  promisify(execFile)(program, args, { ...options, timeout: TOOL_MS, maxBuffer: 64 * 1024 * 1024 }) as Promise<Ran>;

export const uploadTo = async (viewer: RunningViewer, picture: Buffer): Promise<Paste> => {
  const headers = { "content-type": "image/png", "x-viewer-token": await viewer.token() };
  const body = new Uint8Array(picture);
  return (await (await fetch(`${viewer.url}/screenshot-paste`, { method: "POST", headers, body })).json()) as Paste;
};

/** `url` is only used over HTTP. */
type Served = Pick<RunningViewer, "url" | "project">;
type Connecting = { options?: ClientOptions; prepare?: (client: Client) => void };

/** Connects over HTTP to the viewer process, or over stdio to `backplane viewer mcp` for the same project. */
export async function connectMcp(
  t: Cleanup,
  viewer: Served,
  kind: TransportKind,
  era: Era,
  { options = {}, prepare }: Connecting = {},
): Promise<Client> {
  const mode = era === "modern" ? "auto" : "legacy";
  const client = new Client({ name: "e2e", version: "1" }, { ...options, versionNegotiation: { mode } });
  prepare?.(client);
  t.after(() => client.close());
  await client.connect(kind === "http" ? overHttp(viewer) : await overStdio(t, viewer));
  return client;
}

const overHttp = ({ url }: Served) => new StreamableHTTPClientTransport(new URL(`${url}/mcp`));

async function overStdio(t: Cleanup, { project }: Served) {
  const { server, folder } = await newProject(t, project);
  return new StdioClientTransport({ ...server, cwd: folder });
}
