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
/** UTF-8 takes at most four to a character; one more, so that what is too long can be told from what fits. */
const BYTES_OF_CHARACTER = 4;
const LIMIT_CODES: ReadonlySet<unknown> = new Set(["FST_PARTS_LIMIT", "FST_FILES_LIMIT", "FST_FIELDS_LIMIT"]);

const checkTexts = bodyChecker({ ...PageQuery, additionalProperties: false });

/** A multipart form: the image, streamed to a file, and the text fields before or after it. */
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

/** What the form's reader throws is the sender's fault: it only reads. */
async function* partsOf(request: FastifyRequest, limits: ViewerLimits): AsyncGenerator<Multipart> {
  // It logs what it is given, all headers among it, and so the token.
  request.log = request.log.child({}, { serializers: { busboyOptions: () => undefined } });
  const parts = request.parts({
    limits: {
      parts: limits.maxFormParts,
      fieldNameSize: MAX_FIELD_NAME_CHARACTERS,
      fieldSize: BYTES_OF_CHARACTER * (limits.maxTitleCharacters + 1),
      // Counted while it is written.
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

/** The reader waits for ever for a part whose headers have no end; but after the last byte no other part can come. */
async function unlessStuck<T>(body: IncomingMessage, withinMs: number, next: Promise<T>): Promise<T> {
  const { promise: stuck, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onEnd = () => {
    timer = setTimeout(() => reject(new Error("A part of the form has no end.")), withinMs);
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

/** An image on the disk. */
export type Received = { path: string; bytes: number };

/** Streams a body to a new file, which is removed again unless it is complete. */
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
  new Problem("payload-too-large", { detail: `An image may have at most ${Math.floor(maxBytes / MEGABYTE)} MB.` });

export const cutOff = (): Problem => new Problem("malformed-request", { detail: "The upload is incomplete." });

/** What is wrong with the image as a field; a body that is nothing but the image is that field. */
export const fieldFault = (message: string): Problem =>
  new Problem("invalid-input", { detail: `/image ${message}.`, errors: [{ pointer: "/image", message }] });

export const wrongType = (): Problem =>
  new Problem("unsupported-media-type", {
    detail:
      "Send the image itself, with its type (image/png, image/jpeg, …) or as application/octet-stream; " +
      "or multipart/form-data with the field image.",
  });
