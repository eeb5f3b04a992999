import { rm } from "node:fs/promises";
import { PAGE_PATH, Paste } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import { type App, allowSlowBody, tooManyRequests } from "@backplane/kit/http";
import multipart from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { diskProblem } from "../pastes/storage/disk.ts";
import type { ViewerDependencies, ViewerLimits } from "./dependencies.ts";
import { cutOff, fieldFault, receiveForm, receiveImage, tooLarge, wrongType } from "./receive-form.ts";
import { Instance, NO_STORE, PageQuery, TAGS, Title } from "./schemas.ts";

type Uploads = Pick<ViewerDependencies, "pastes" | "naming"> & { now: Clock; limits: ViewerLimits };

const COME_BACK_MS = 1_000;
/** For the boundaries and texts of a form. */
const MAX_FORM_OVERHEAD_BYTES = 16 * 1024;
const FORM = "multipart/form-data";

/** For the API reference only: the handler reads the body itself. */
const BYTES = Type.Unsafe<unknown>({ format: "binary", description: "The image" });
const FORM_FIELDS = Type.Unsafe<unknown>({
  properties: { image: { type: "string", format: "binary" }, title: Title, instance: Instance },
});

/** POST /screenshot-paste: saves an image as two files. Their name follows later. */
export function serveUploads(app: App, { pastes, naming, now, limits }: Uploads): void {
  let underWay = 0;

  async function receive(request: FastifyRequest, type: string) {
    const { raw } = request;
    allowSlowBody(raw, { idleMs: limits.uploadIdleMs, withinMs: limits.uploadTimeoutMs });
    try {
      if (type === FORM) return await receiveForm(request, pastes.incomingFolder, limits);
      const image = await receiveImage(raw, pastes.incomingFolder, limits.maxUploadBytes);
      if (image === "too-large") throw tooLarge(limits.maxUploadBytes);
      if (image === "cut-off") throw cutOff();
      return { image, texts: {} };
    } catch (error) {
      throw diskProblem(error);
    } finally {
      // A sender whose body is no longer read might not read the answer.
      raw.unpipe();
      raw.resume();
    }
  }

  async function save(request: FastifyRequest, type: string, query: { title?: string; instance?: string }) {
    const { image, texts } = await receive(request, type);
    try {
      if (image.bytes === 0) throw fieldFault("is empty");
      const { title, instance } = { ...query, ...texts };
      return await pastes.add({ ...image, title: title || null, instance: instance || null, receivedAtMs: now() });
    } catch (error) {
      await rm(image.path, { force: true });
      throw error;
    }
  }

  app.register(async (scope: App) => {
    // The handler reads the body as a stream, whatever its type, after the guard has allowed the call.
    scope.removeAllContentTypeParsers();
    await scope.register(multipart);
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));

    scope.post(
      PAGE_PATH,
      {
        schema: {
          tags: TAGS,
          summary: "Save a screenshot: the body is the image",
          body: { content: { "image/*": { schema: BYTES }, [FORM]: { schema: FORM_FIELDS } } },
          querystring: PageQuery,
          response: { 201: Paste },
        },
      },
      async (request, reply) => {
        const type = typeOf(request);
        refuseUnfit(request, type, limits.maxUploadBytes);
        if (underWay >= limits.maxUploadsUnderWay) throw tooManyRequests(COME_BACK_MS);
        underWay += 1;
        try {
          const paste = await save(request, type, request.query);
          naming.add(paste);
          reply.code(201).headers({ ...NO_STORE, location: `${PAGE_PATH}/${paste.id}` });
          return paste;
        } finally {
          underWay -= 1;
        }
      },
    );
  });
}

const typeOf = ({ headers }: FastifyRequest): string =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Refuses what can be refused before the body is read. */
function refuseUnfit({ headers }: FastifyRequest, type: string, maxBytes: number): void {
  const length = headers["content-length"];
  const hasBody = headers["transfer-encoding"] !== undefined || Number(length ?? 0) > 0;
  const isForm = type === FORM;
  if (!hasBody) throw fieldFault("is missing");
  if (!isForm && !type.startsWith("image/") && type !== "application/octet-stream") throw wrongType();
  if (Number(length ?? 0) > maxBytes + (isForm ? MAX_FORM_OVERHEAD_BYTES : 0)) throw tooLarge(maxBytes);
}
