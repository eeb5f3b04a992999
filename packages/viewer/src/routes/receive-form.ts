import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { receiveFile } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import type { Multipart } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import type { Static } from "typebox";
import type { ViewerLimits } from "./dependencies.ts";
import { PageQuery } from "./schemas.ts";

type FormTexts = Static<typeof PageQuery>;

const IMAGE = "image";
const MAX_FIELD_NAME_CHARACTERS = 40;
/** In UTF-8. */
const MAX_BYTES_PER_CHARACTER = 4;
const LIMIT_CODES: ReadonlySet<unknown> = new Set(["FST_PARTS_LIMIT", "FST_FILES_LIMIT", "FST_FIELDS_LIMIT"]);

const checkTexts = bodyChecker(PageQuery);

/** Receives a multipart form: the image, streamed to a file, and the text fields before or after it. */
export async function receiveForm(
  request: FastifyRequest,
  folder: string,
  limits: ViewerLimits,
): Promise<{ image: Received; texts: FormTexts }> {
  await using discarded = new AsyncDisposableStack();
  const texts: Record<string, unknown> = {};
  let image: Received | undefined;
  for await (const part of partsOf(request, limits)) {
    if (part.type === "field") {
      addText(texts, part);
      continue;
    }
    if (part.fieldname !== IMAGE) throw fieldFault(`must be the field with the file, not ${quoted(part.fieldname)}`);
    if (image !== undefined) throw fieldFault("was sent twice: send one image at a time");
    const received = await receiveImage(part.file, folder, limits.maxUploadBytes);
    if (received === "too-large") throw tooLarge(limits.maxUploadBytes);
    if (received === "cut-off") throw cutOff();
    image = received;
    discarded.defer(() => rm(received.path, { force: true }));
  }
  const [fault] = checkTexts(texts);
  if (fault) throw new Problem("invalid-input", { detail: `${fault.pointer} ${fault.message}.`, errors: [fault] });
  if (image === undefined) throw fieldFault("is missing");
  discarded.move();
  return { image, texts };
}

/** Errors of the form reader are the sender's fault. */
async function* partsOf(request: FastifyRequest, limits: ViewerLimits): AsyncGenerator<Multipart> {
  // The reader logs its options with all headers, and so the token.
  request.log = request.log.child({}, { serializers: { busboyOptions: () => undefined } });
  const parts = request.parts({
    limits: {
      parts: limits.maxFormParts,
      fieldNameSize: MAX_FIELD_NAME_CHARACTERS,
      // One more than allowed, so that a text that is too long fails the schema with a proper message.
      fieldSize: MAX_BYTES_PER_CHARACTER * (limits.maxTitleCharacters + 1),
      // `receiveFile` counts the bytes.
      fileSize: Number.POSITIVE_INFINITY,
      headerPairs: 20,
    },
    isPartAFile: (name, type, fileName) =>
      name === IMAGE || fileName !== undefined || type === "application/octet-stream",
  });
  for (;;) {
    const next = await unlessStuck(request.raw, limits.formEndsWithinMs, parts.next()).catch((error) => {
      throw LIMIT_CODES.has(error.code)
        ? new Problem("payload-too-large", { detail: `A form may have at most ${limits.maxFormParts} parts.` })
        : new Problem("malformed-request", { detail: "The form is incomplete or malformed.", cause: error });
    });
    if (next.done) return;
    yield next.value;
  }
}

/** The reader waits forever for a part whose headers do not end. After the last byte no more parts can come. */
async function unlessStuck<T>(body: IncomingMessage, withinMs: number, next: Promise<T>): Promise<T> {
  const { promise: stuck, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onEnd = () => {
    timer = setTimeout(() => reject(new Error("A part of the form is incomplete.")), withinMs);
  };
  if (body.closed) onEnd();
  else body.once("close", onEnd);
  try {
    return await Promise.race([next, stuck]);
  } finally {
    clearTimeout(timer);
    body.off("close", onEnd);
  }
}

function addText(texts: Record<string, unknown>, { fieldname, value }: Multipart & { type: "field" }): void {
  if (Object.hasOwn(texts, fieldname)) {
    const pointer = `/${fieldname}`;
    throw new Problem("invalid-input", {
      detail: `${pointer} was sent twice.`,
      errors: [{ pointer, message: "was sent twice" }],
    });
  }
  texts[fieldname] = value;
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, MAX_FIELD_NAME_CHARACTERS));

/** An image on disk. */
export type Received = { path: string; bytes: number };

/** Streams a body to a new file. If the body is incomplete, the file is deleted. */
export async function receiveImage(
  body: Readable,
  folder: string,
  maxBytes: number,
): Promise<Received | "too-large" | "cut-off"> {
  const path = join(folder, `${randomUUID()}.upload`);
  const bytes = await receiveFile(body, path, maxBytes);
  return typeof bytes === "number" ? { path, bytes } : bytes;
}

const MEGABYTE = 1024 * 1024;

export const tooLarge = (maxBytes: number): Problem =>
  new Problem("payload-too-large", {
    detail: `The image is too large; the limit is ${Math.floor(maxBytes / MEGABYTE)} MB.`,
  });

export const cutOff = (): Problem => new Problem("malformed-request", { detail: "The upload is incomplete." });

/** A fault of the field `image`; a body that is just the image counts as that field. */
export const fieldFault = (message: string): Problem =>
  new Problem("invalid-input", { detail: `/image ${message}.`, errors: [{ pointer: "/image", message }] });

export const wrongType = (): Problem =>
  new Problem("unsupported-media-type", {
    detail:
      "Send the image itself, with its type (image/png, image/jpeg, …) or as application/octet-stream; " +
      "or multipart/form-data with the field image.",
  });
