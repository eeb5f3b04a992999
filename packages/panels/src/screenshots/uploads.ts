import { randomBytes } from "node:crypto";
import { PANELS_LIMITS, WorkspaceParams } from "@backplane/contract/panels";
import type { OpenBus } from "@backplane/kit/bus";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { about, CURRENT } from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";
import { openShotFolder } from "./shot-folder.ts";

/** The claim of a shot outlives its order a little, as clocks differ. */
const CLAIM_SLACK_MS = 2_000;
const LIFE_MS = PANELS_LIMITS.shotTimeoutMs + CLAIM_SLACK_MS;
const SHOT_ID_BYTES = 24;
const SHOT_ID_PATTERN = "^[a-zA-Z0-9_-]{32}$";

const keyOf = (shotId: string): string => `panels:shot:${shotId}`;
const waitingFor = (workspaceId: string): string => `waiting:${workspaceId}`;
const sentFor = (workspaceId: string): string => `sent:${workspaceId}`;

/** Which uploads are expected, and for which workspace: each is accepted once, on any instance. */
export function createShotClaims({ claims }: Pick<OpenBus, "claims">) {
  return {
    async expect(workspaceId: string): Promise<string> {
      const shotId = randomBytes(SHOT_ID_BYTES).toString("base64url");
      await claims.claim(keyOf(shotId), waitingFor(workspaceId), LIFE_MS);
      return shotId;
    },
    isExpected: async (workspaceId: string, shotId: string): Promise<boolean> =>
      (await claims.read(keyOf(shotId))) === waitingFor(workspaceId),
    /** Of several uploads for one shot exactly one is accepted. */
    accept: (workspaceId: string, shotId: string): Promise<boolean> =>
      claims.exchange(keyOf(shotId), waitingFor(workspaceId), sentFor(workspaceId), LIFE_MS),
    isWanted: async (workspaceId: string, shotId: string): Promise<boolean> =>
      (await claims.read(keyOf(shotId))) === sentFor(workspaceId),
    async forget(shotId: string): Promise<void> {
      await claims.take(keyOf(shotId));
    },
  };
}

type ShotClaims = ReturnType<typeof createShotClaims>;

/** Uploads that reach the instance that waits for them: they need no file, and the call goes on at once. */
export function createArrivals() {
  const waiting = new Map<string, (png: Buffer) => void>();
  let heldBytes = 0;
  return {
    /** `come` resolves when the image is here; an image that waits for its turn is held until `end`. */
    expect(shotId: string): { come: Promise<void>; png(): Buffer | undefined; end(): void } {
      let held: Buffer | undefined;
      const { promise: come, resolve } = Promise.withResolvers<void>();
      waiting.set(shotId, (png) => {
        waiting.delete(shotId);
        held = png;
        resolve();
      });
      return {
        come,
        png: () => held,
        end() {
          waiting.delete(shotId);
          heldBytes -= held?.length ?? 0;
          held = undefined;
        },
      };
    },
    /** False: nobody waits here, or too much is held. */
    give(shotId: string, png: Buffer): boolean {
      const take = waiting.get(shotId);
      if (!take || heldBytes + png.length > MAX_HELD_BYTES) return false;
      heldBytes += png.length;
      take(png);
      return true;
    },
  };
}

export type Uploads = { claims: ShotClaims; arrivals: ReturnType<typeof createArrivals> };

const { maxShotBytes, maxShotPixels } = PANELS_LIMITS;
/** Of images that wait for their turn to be finished. One more waits on disk. */
const MAX_HELD_BYTES = maxShotBytes;
const Params = Type.Object({ ...WorkspaceParams.properties, shotId: Type.String({ pattern: SHOT_ID_PATTERN }) });
const unknown = (): Problem =>
  new Problem("shot-unknown", { detail: "It was uploaded already, or nobody waits for it any more." });

/** Receives the image from a browser. It may reach another instance than the one that waits for it. */
export function serveUpload(app: App, { workspaces, files }: Services, { claims, arrivals }: Uploads): void {
  const admitted = new WeakMap<FastifyRequest, Workspace>();
  /** Before the body is read: an unexpected upload is refused at once. */
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
          ...about("The image that a browser was asked for", undefined, ["shot-unknown"]),
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
        if (arrivals.give(shotId, png)) return reply.code(204).send(null);
        const folder = openShotFolder(files.folderOf(workspace));
        await folder.putUpload(shotId, png);
        // The waiting call may have ended and cleaned up before this was written.
        if (!(await claims.isWanted(workspace.id, shotId))) await folder.dropUpload(shotId);
        return reply.code(204).send(null);
      },
    );
  });
}

function refuseUnfit(png: unknown): void {
  const size = Buffer.isBuffer(png) ? readPngSize(png) : undefined;
  if (!size) throw new Problem("unsupported-media-type", { detail: "The body is not a PNG image." });
  if (size.width * size.height > maxShotPixels) {
    throw new Problem("payload-too-large", { detail: `The image has more than ${maxShotPixels} pixels.` });
  }
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
/** Signature, then the chunk IHDR: length, name, width, height. */
const HEADER_BYTES = 24;

/** The size that a PNG claims to have, without decoding it. Undefined: not a PNG. */
function readPngSize(bytes: Buffer): { width: number; height: number } | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  if (bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}
