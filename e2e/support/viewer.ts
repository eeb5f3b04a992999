import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { type Restartable, startRestartable } from "./restartable.ts";

export type RunningViewer = Restartable & {
  /** At the host name of its own links. */
  readonly pages: string;
  readonly project: string;
  /** The visible files, sorted. */
  files(): string[];
  path(file: string): string;
  /** Unfinished files. */
  incoming(): string[];
  /** A token from the page. */
  token(): Promise<string>;
};

/** One viewer process with its own project. */
export async function startViewer(env: NodeJS.ProcessEnv = {}): Promise<RunningViewer> {
  const project = env.VIEWER_PROJECT ?? mkdtempSync(join(tmpdir(), "backplane-project-"));
  const running = await startRestartable({
    name: "viewer",
    portSetting: "VIEWER_PORT",
    env: { ...env, VIEWER_PROJECT: project },
  });
  const folder = join(project, "screenshots", "sp");
  const dispose = running[Symbol.asyncDispose].bind(running);
  return Object.assign(running, {
    pages: `http://localhost:${running.port}`,
    project,
    files: () =>
      readdirSync(folder)
        .filter((name) => !name.startsWith("."))
        .sort(),
    path: (file: string) => join(folder, file),
    incoming: () => readdirSync(join(folder, ".pastes", "incoming")),
    token: async () => tokenIn(await (await fetch(`${running.url}/screenshot-paste`)).text()),
    [Symbol.asyncDispose]: async () => {
      await dispose();
      if (env.VIEWER_PROJECT === undefined) rmSync(project, { recursive: true, force: true });
    },
  });
}

export function tokenIn(html: string): string {
  const token = /v1\.[0-9a-f]{16}\.[0-9]+\.[A-Za-z0-9_-]+/.exec(html)?.[0];
  if (token === undefined) throw new Error("The page contains no token.");
  return token;
}

/** An image of this text, large and plain, so that naming is quick and predictable. */
export function pictureWithText(words: string, width = 1_000, height = 400): Promise<Buffer> {
  const size = Math.min(64, Math.floor((width - 80) / words.length / 0.65));
  const text = `<text x="40" y="100" font-family="DejaVu Sans, sans-serif" font-size="${size}">${words}</text>`;
  const paper = '<rect width="100%" height="100%" fill="#fff"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${paper}${text}</svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

export const pictureWithoutText = (background: string, width = 640, height = 400): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

/** `zlibHeader`: the first two bytes of the compressed data; `78da` is level 9. */
export function pngFacts(path: string): { width: number; height: number; zlibHeader: string; bytes: number } {
  const png = readFileSync(path);
  const idat = png.indexOf("IDAT");
  return {
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    zlibHeader: png.subarray(idat + 4, idat + 6).toString("hex"),
    bytes: png.length,
  };
}
