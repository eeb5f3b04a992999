import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runLineHere } from "../run-here.suite.ts";

const BIN = fileURLToPath(new URL("../../bin/backplane.js", import.meta.url));

export const SESSION = "tok_c4nary";
export const CODE = "BCDF-GHJK";
const DAY_MS = 86_400_000;

const after = (ms: number) => new Date(Date.now() + ms).toISOString();

/** What this stand-in for a Backplane does next; tests change it. */
export type Mood = {
  status: "approved" | "denied" | "expired" | "waiting";
  /** Whether the session is still valid. */
  isSignedIn: boolean;
};

export type Platform = AsyncDisposable & {
  url: string;
  mood: Mood;
  asked: { line: string; token: string; body: string }[];
};

export async function startPlatform(): Promise<Platform> {
  const mood: Mood = { status: "approved", isSignedIn: true };
  const asked: Platform["asked"] = [];
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${request.url}`;
    const token = String(request.headers.authorization ?? "").replace("Bearer ", "");
    asked.push({ line, token, body: await text(request) });
    const answer = line.startsWith("POST /auth/intents") ? [201, intent(url)] : answerTo(line, mood);
    if (answer !== undefined) send(response, answer[0] as number, answer[1]);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    mood,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(body === undefined ? "" : JSON.stringify(body));
}

const intent = (url: string) => ({
  token: "int_x",
  created_at: after(0),
  expires_at: after(15 * 60_000),
  requested_max_age: 7_776_000,
  auth_url: `${url}/auth/intent?token=int_x`,
  updates_url: `${url}/auth/intents/int_x/status`,
  completed: false,
  confirmation_code: CODE,
});

function answerTo(line: string, { status, isSignedIn }: Mood): [number, unknown] | undefined {
  if (line.startsWith("GET /auth/intents/")) {
    if (status === "waiting") return undefined;
    if (status === "approved") return [200, { state: "authenticated", session_token: SESSION }];
    return [410, { code: `intent-${status}` }];
  }
  if (!isSignedIn) return [401, { code: "not-signed-in" }];
  if (line === "GET /user") return [200, USER];
  if (line === "GET /auth/sessions") return [200, { sessions: SESSIONS }];
  return line.startsWith("DELETE") ? [204, undefined] : [404, { code: "not-found" }];
}

const USER = {
  id: "u-1",
  name: "ada",
  display_name: "Ada \x1b[2JLovelace",
  email: "ada@example.org",
  is_owner: true,
  organisations: [{ name: "lab", role: "owner" }],
  invitations: [{ name: "club", role: "member" }],
  session: {
    id: "aaaa-1",
    kind: "Application",
    name: "bench",
    created_at: after(0),
    expires_at: after(90 * DAY_MS),
    scopes: [],
  },
};

const session = (id: string, more: object) => ({
  id,
  kind: "Application",
  name: "bench",
  program: "Linux, Node 24",
  address: "127.0.0.1",
  created_at: after(-DAY_MS),
  last_used_at: after(-3_600_000),
  expires_at: after(30 * DAY_MS),
  current: false,
  refused: null,
  ...more,
});

const SESSIONS = [
  session("aaaa1111-1", { current: true }),
  session("bbbb2222-2", { kind: "Browser", name: "Chromium on Linux", program: null }),
  session("bbbb3333-3", {}),
];

/** A temporary home folder, and functions that run the command in it. */
export function openHome() {
  const home = mkdtempDisposableSync(join(tmpdir(), "cli-login-"));
  const folder = join(home.path, ".backplane/sessions");
  const where = (env: NodeJS.ProcessEnv) => ({
    cwd: home.path,
    env: { PATH: process.env.PATH, HOME: home.path, ...env },
  });
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    spawn(process.execPath, [BIN, ...args], { ...where(env), stdio: ["ignore", "pipe", "pipe"] });
  return {
    path: home.path,
    folder,
    start,
    run: (args: readonly string[], env: NodeJS.ProcessEnv = {}) => runLineHere(where(env), args),
    /** As a process of its own, as people run it. */
    async runProcess(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
      const child = start(args, env);
      const [stdout, stderr, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "exit"),
      ]);
      return { status, stdout, stderr };
    },
    [Symbol.dispose]: () => home.remove(),
  };
}
