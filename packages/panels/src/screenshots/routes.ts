import { Screenshot, ScreenshotRequest, ScreenshotStatus, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import type { Services } from "../services.ts";
import { about, CHANGING, CURRENT, READING } from "../workspaces/route-options.ts";
import { SAVED_NAME_PATTERN } from "./file-names.ts";
import type { Screenshots } from "./screenshots.ts";
import { openShotFolder } from "./shot-folder.ts";
import { statusOf } from "./status.ts";
import { wantsPng } from "./wanted-type.ts";

/** Scope, panel and the rest are checked against the layout; `format` and the limits by the schema. */
export function serveScreenshots(app: App, services: Services, screenshots: Screenshots): void {
  const { workspaces, live, files } = services;

  app.patch(
    `${CURRENT}/screenshot`,
    {
      ...CHANGING,
      schema: {
        ...about(
          "Take a screenshot of a panel, the workspace or the screen",
          "With Accept: image/png the answer is the picture. When nobody shares, the user is asked, and the call waits.",
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
      const { screenshot, bytes } = await screenshots.take(workspace, caller, request.body, goneSignal(reply));
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
        ...about("Whether a browser shares its screen, and what can be captured now"),
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
        ...about("A screenshot that was taken"),
        params: Type.Object({ ...WorkspaceParams.properties, file: Type.String({ pattern: SAVED_NAME_PATTERN }) }),
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

/** Ends when the client goes before it has its answer. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
