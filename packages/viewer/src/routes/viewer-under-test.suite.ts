import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type IncomingHttpHeaders, type RequestOptions, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { MAX_DIMENSION, PAGE_PATH, type Paste, SCREENSHOTS_FOLDER, type Widget } from "@backplane/contract/viewer";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import sharp from "sharp";
import { guardViewer } from "../guard/guard.ts";
import { createPageTokens } from "../guard/page-tokens.ts";
import { createImages } from "../images/images.ts";
import { openPastes } from "../pastes/pastes.ts";
import type { ViewerLimits } from "./dependencies.ts";
import { createAccess } from "./in-process-access.ts";
import { serveViewer } from "./viewer-routes.ts";

export const SECRET = "a-secret-of-programs-of-this-machine";
export const VIEWER_TOKEN = "tok_viewer_cAnArY0123456789cAnArY0123456789";
const VIEWER_URL = "https://viewer.example";

/** So that no file is squeezed during a test. */
const HOUR_MS = 3_600_000;

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };
export type Asked = { method?: string; headers?: Record<string, string>; body?: string | Uint8Array };

export type TestOptions = {
  limits?: Partial<ViewerLimits>;
  trustProxy?: string[];
  /** How often kit checks its timeouts. */
  timeoutCheckMs?: number;
};

export const pngOf = (width = 40, height = 30, background = "#336699"): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

export async function temporaryFolder(t: Pick<TestContext, "after">): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "viewer-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The viewer on a free port, with real files and images. The test decides when screenshots are named. */
export async function startViewer(t: TestContext, options: TestOptions = {}) {
  const project = await mkdtemp(join(tmpdir(), "viewer-"));
  const lines: string[] = [];
  const images = createImages();
  const pastes = await openPastes({
    project,
    images,
    now: Date.now,
    random: randomBytes,
    limits: { squeezeAfterMs: HOUR_MS },
  });
  const waiting: Paste[] = [];
  const naming = { add: (paste: Paste) => void waiting.push(paste) };
  const openWidget = async (title: string | undefined): Promise<Widget> => ({
    status: "not_opened",
    url: `${VIEWER_URL}${PAGE_PATH}`,
    title: title ?? "Paste a screenshot",
    folder: `${SCREENSHOTS_FOLDER}/`,
    maxDimension: MAX_DIMENSION,
    workspace: null,
    reason: "No browser shows the workspace.",
  });
  const access = createAccess({ pastes, naming, openWidget, project });
  const clock = { nowMs: Date.now() };
  const tokens = createPageTokens({ project, key: randomBytes(32), now: () => clock.nowMs });
  const app = await createApp({
    log: createLog({ process: "viewer", level: "trace", destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics("viewer"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: options.trustProxy ?? [],
    overHttps: false,
    limits: options.timeoutCheckMs === undefined ? {} : { timeoutCheckMs: options.timeoutCheckMs },
  });
  guardViewer(app, {
    tokens,
    secret: SECRET,
    viewerToken: VIEWER_TOKEN,
    url: VIEWER_URL,
    port: 8770,
    homeUrl: "http://localhost:8790",
  });
  const baseUrl = "http://localhost:8790";
  serveViewer(app, { pastes, naming, tokens, access, url: VIEWER_URL, baseUrl, project, limits: options.limits ?? {} });
  // In place of MCP, and of every route that is not part of the page.
  app.post("/mcp", async () => ({ done: true }));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  t.after(async () => {
    app.server.closeAllConnections();
    await app.close();
    await pastes.close();
    await images.close();
    await rm(project, { recursive: true });
  });

  /** Not `fetch`, which does not allow setting Host and Origin. */
  function ask(path: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    open({ path, method, headers }, resolve, reject).end(body);
    return promise;
  }
  function open(asked: RequestOptions, resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    const headers = { host: `localhost:${port}`, ...(asked.headers as Record<string, string>) };
    return send({ port, host: "127.0.0.1", agent: false, ...asked, headers }, (response) => {
      Array.fromAsync(response).then(
        (pieces) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }),
        reject,
      );
    }).on("error", reject);
  }
  const page = () => ({ "x-viewer-token": tokens.make() });
  const program = { authorization: `Bearer ${SECRET}` };
  return {
    ...{ app, pastes, tokens, access, project, lines, port, ask, open, page, program, waiting, clock },
    url: `http://127.0.0.1:${port}`,
    upload: (body: Uint8Array | string, type = "image/png", query = "") =>
      ask(`${PAGE_PATH}${query}`, { method: "POST", headers: { ...page(), "content-type": type }, body }),
    incoming: () => readdir(pastes.incomingFolder),
    files: async () =>
      (await readdir(join(project, ...SCREENSHOTS_FOLDER.split("/")))).filter((name) => name.endsWith(".png")),
    name: (id: string, name: string) =>
      pastes.finishNaming(id, { text: `the text of ${name}`, suggestions: [name], name, by: "text" }),
  };
}

export type ViewerUnderTest = Awaited<ReturnType<typeof startViewer>>;

export const jsonOf = ({ body }: Answer) => JSON.parse(body.toString("utf8"));
export const codeOf = (answer: Answer): [number, string] => [answer.status, jsonOf(answer).code];

/** A multipart form, byte for byte. */
export function formOf(parts: readonly { name: string; file?: string; type?: string; value: Uint8Array | string }[]) {
  const boundary = "----form-of-a-test";
  const body = Buffer.concat([
    ...parts.flatMap(({ name, file, type, value }) => [
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"`}\r\n` +
          `${type === undefined ? "" : `content-type: ${type}\r\n`}\r\n`,
      ),
      Buffer.from(value as string),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { body, type: `multipart/form-data; boundary=${boundary}` };
}
