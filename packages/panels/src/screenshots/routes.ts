import {
  Screenshot,
  ScreenshotRequest,
  type ScreenshotScope,
  ScreenshotStatus,
  WorkspaceParams,
} from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { surfacesOf } from "../live/sharing.ts";
import { BROWSER_PROBLEMS } from "../problems.ts";
import { about, aboutReading, accessTo, CHANGING, CURRENT, READING } from "../route-options.ts";
import type { PresentBrowser, Services, Workspace } from "../services.ts";
import { openShotFolder, SAVED_NAME_PATTERN } from "./shot-folder.ts";

export type Taken = { screenshot: Screenshot; bytes: Buffer };

export type Screenshots = {
  take(workspace: Workspace, caller: Caller, asked: ScreenshotRequest, signal: AbortSignal): Promise<Taken>;
};

const SHOT_PROBLEMS: readonly ProblemCode[] = [
  ...(["panel-unknown", "tab-unknown", "wrong-method", "file-name-refused", "quota-reached"] as const),
  ...(["sharing-declined", "too-many-requests"] as const),
  ...BROWSER_PROBLEMS,
];

/** …/current/screenshot and …/current/screenshots */
export function serveScreenshots(app: App, services: Services, screenshots: Screenshots): void {
  const { workspaces, live, files, followAccess } = services;

  app.patch(
    `${CURRENT}/screenshot`,
    {
      ...CHANGING,
      // A picture does not get smaller, and an answer that nobody reads would keep its compressor.
      compress: false,
      schema: {
        ...about(
          "Take a screenshot of a panel, the workspace or the screen",
          "With Accept: image/png the answer is the image. When no browser shares its screen, the user is asked, and the call waits.",
          SHOT_PROBLEMS,
        ),
        body: ScreenshotRequest,
        response: {
          200: { content: { "application/json": { schema: Screenshot }, "image/png": { schema: Type.Any() } } },
        },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const isPng = wantsPng(request.headers.accept);
      // It may wait for minutes until somebody shares.
      const stopFollowing = await followAccess(accessTo(caller, workspace), () => reply.raw.destroy());
      if (!stopFollowing) throw new Problem("not-signed-in");
      const taking = screenshots.take(workspace, caller, request.body, goneSignal(reply));
      const { screenshot, bytes } = await taking.finally(stopFollowing);
      reply.header("vary", "accept");
      if (!isPng) {
        if (!request.body.inline) return screenshot;
        return { ...screenshot, dataUrl: `data:image/png;base64,${bytes.toString("base64")}` };
      }
      const { path, url, originalWidth, originalHeight, width, height, scale } = screenshot;
      return reply
        .headers({ "content-location": url, "x-path": encodeURI(path) })
        .headers({ "x-width": width, "x-height": height, "x-scale": scale })
        .headers({ "x-original-width": originalWidth, "x-original-height": originalHeight })
        .type("image/png")
        .send(bytes);
    },
  );

  app.get(
    `${CURRENT}/screenshot`,
    {
      ...READING,
      schema: {
        ...aboutReading("Whether a browser shares its screen, and what can be captured now"),
        response: { 200: ScreenshotStatus },
      },
    },
    async (request) => {
      const { workspace } = await workspaces.open(request);
      return statusOf(await live.browsers(workspace.id));
    },
  );

  app.get(
    `${CURRENT}/screenshots/:file`,
    {
      schema: {
        ...aboutReading("A screenshot that was taken", undefined, ["file-unknown"]),
        params: Type.Object({
          ...WorkspaceParams.properties,
          file: Type.String({ pattern: SAVED_NAME_PATTERN, examples: ["motor-control-680x520.png"] }),
        }),
        produces: ["image/png"],
      },
    },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      const handle = await openShotFolder(files.folderOf(workspace)).open(request.params.file);
      if (!handle) throw new Problem("file-unknown");
      const { size, mtime } = await handle.stat();
      return reply
        .headers({ "cache-control": "private, no-cache", "content-length": size, "last-modified": mtime.toUTCString() })
        .type("image/png")
        .send(handle.createReadStream());
    },
  );
}

/** Aborts when the client disconnects before it has its answer. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

const SCOPES: Record<"browser" | "monitor" | "window", readonly ScreenshotScope[]> = {
  browser: ["panel", "workspace"],
  monitor: ["screen"],
  window: [],
};

/** What can be captured now, by any browser that shares it. */
function statusOf(browsers: readonly PresentBrowser[]): ScreenshotStatus {
  const sharing = browsers.map((browser) => browser.sharing).filter(({ active }) => active);
  const availableScopes = sharing.flatMap(surfacesOf).flatMap((surface) => SCOPES[surface]);
  const [first] = sharing;
  return {
    sharing: { active: first !== undefined, displaySurface: first?.displaySurface ?? null },
    availableScopes: [...new Set(availableScopes)],
  };
}

/** Whether the client prefers the image itself to JSON about it. */
export function wantsPng(accept: string | undefined): boolean {
  const png = qualityOf(accept, "image/png");
  return png > 0 && png >= qualityOf(accept, "application/json");
}

/** The quality of a type that is named; a wildcard prefers neither. */
function qualityOf(accept = "", type: string): number {
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  }
  return 0;
}
