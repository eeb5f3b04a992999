import { PANELS_LIMITS, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Services, Workspace } from "../services.ts";
import { about, CURRENT } from "../workspaces/route-options.ts";
import { readPngSize } from "./png-header.ts";
import { SHOT_ID_PATTERN, type ShotClaims } from "./shot-claims.ts";
import { openShotFolder } from "./shot-folder.ts";

const { maxShotBytes, maxShotPixels } = PANELS_LIMITS;
const Params = Type.Object({ ...WorkspaceParams.properties, shotId: Type.String({ pattern: SHOT_ID_PATTERN }) });
const unknown = (): Problem =>
  new Problem("shot-unknown", { detail: "It was sent already, or nobody waits any more." });

/** The browser's picture, while somebody waits for it. It may come to another instance than the one that waits. */
export function serveUpload(app: App, { workspaces, files }: Services, claims: ShotClaims): void {
  const admitted = new WeakMap<FastifyRequest, Workspace>();
  /** Before the body is read: who is not waited for need not send it. */
  async function admit(request: FastifyRequest): Promise<void> {
    const { workspace } = await workspaces.open(request);
    const { shotId } = request.params as { shotId: string };
    if (!(await claims.isExpected(workspace.id, shotId))) throw unknown();
    admitted.set(request, workspace);
  }

  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("image/png", { parseAs: "buffer", bodyLimit: maxShotBytes }, (_request, body, done) =>
      done(null, body),
    );
    scope.post(
      `${CURRENT}/screenshot/:shotId`,
      {
        onRequest: admit,
        bodyLimit: maxShotBytes,
        schema: {
          ...about("The picture that a browser was asked for"),
          params: Params,
          body: { content: { "image/png": { schema: Type.Unsafe<Buffer>({}) } } },
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const workspace = admitted.get(request);
        if (!workspace) throw unknown();
        const { shotId } = request.params;
        const png = request.body as Buffer;
        refuseUnfit(png);
        if (!(await claims.accept(workspace.id, shotId))) throw unknown();
        const folder = openShotFolder(files.folderOf(workspace));
        await folder.putUpload(shotId, png);
        // Whoever waited may have left meanwhile, and cleared up before this was there.
        if (!(await claims.isWanted(workspace.id, shotId))) await folder.dropUpload(shotId);
        return reply.code(204).send(null);
      },
    );
  });
}

function refuseUnfit(png: unknown): void {
  const size = Buffer.isBuffer(png) ? readPngSize(png) : undefined;
  if (!size) throw new Problem("unsupported-media-type", { detail: "The body is no PNG picture." });
  if (size.width * size.height > maxShotPixels) {
    throw new Problem("payload-too-large", { detail: `The picture has more than ${maxShotPixels} pixels.` });
  }
}
