import { CheckedUpload, PublishedVersion, PublishQuery } from "@backplane/contract/registry";
import { type Caller, requireCaller } from "@backplane/kit/callers";
import { makePrivateFolder } from "@backplane/kit/folder";
import { type App, allowSlowBody, refuseForeignPage, tooManyRequests } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { openExaminer } from "./examiner.ts";
import { PUBLISHING_LIMITS, type PublishingLimits, type PublishingOptions } from "./options.ts";
import { checkedUpload, publish } from "./publish.ts";
import { createUploadSlots, receiveUpload, uploadsFolder } from "./receive-upload.ts";
import { refusalOf } from "./refusals.ts";
import { serveStatus } from "./status-route.ts";
import { serveUnpublishing } from "./unpublish-route.ts";
import { serveVisibility } from "./visibility-route.ts";

export type { PublishingOptions } from "./options.ts";

const ARCHIVE_TYPES: ReadonlySet<string> = new Set(["application/zip", "application/octet-stream"]);

/** For the API reference only; the body is read and checked later. */
const ARCHIVE = Type.Unsafe<unknown>({ format: "binary", description: "The zip, with metadata.json at its root" });

/** POST /registry/packages, PATCH and DELETE …/versions/{version}. */
export function servePublishing(app: App, options: PublishingOptions): void {
  const limits: PublishingLimits = { ...PUBLISHING_LIMITS, ...options.limits };
  const uploads = uploadsFolder(options.home);
  makePrivateFolder(uploads);
  const limiter = options.newLimiter({ name: "registry-changes", ...limits.changes });
  const takeSlot = createUploadSlots(limits);
  const examiner = openExaminer();
  app.addHook("onClose", () => examiner.close());

  /** Every check that does not need the body. */
  async function admit(request: FastifyRequest): Promise<Caller> {
    const caller = await requireCaller(options.whoIsCalling, request, "publish");
    const { allowed, retryAfterMs } = await limiter.take(caller.userId);
    if (!allowed) throw tooManyRequests(retryAfterMs);
    return caller;
  }

  async function ownerIdOf({ userId }: Caller, owner: string | undefined): Promise<string> {
    const ownerId = owner === undefined ? userId : await options.owners.resolve(userId, owner);
    if (ownerId !== undefined) return ownerId;
    const detail = `You may not publish as "${owner}". Use your own name or one of your organisations.`;
    throw new Problem("owner-only", { detail });
  }

  app.register(async (scope: App) => {
    // The handler reads the body as a stream, of any type, so that it can check the caller first.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));

    scope.post(
      "/registry/packages",
      {
        onRequest: CHANGING,
        schema: {
          tags: ["registry"],
          summary: "Publish a version: the body is its archive",
          description: "With `check` it is only checked: 200 with what was found, and nothing is stored.",
          access: "publish",
          problems: PUBLISH_PROBLEMS,
          body: {
            content: { "application/zip": { schema: ARCHIVE }, "application/octet-stream": { schema: ARCHIVE } },
          },
          querystring: PublishQuery,
          response: { 200: CheckedUpload, 201: PublishedVersion },
        },
      },
      async (request, reply) => {
        const { check = false, owner, private: isPrivate = false } = request.query;
        const uploader = await admit(request);
        await ownerIdOf(uploader, owner);
        refuseUnfit(request, limits.maxArchiveBytes);
        using slot = takeSlot(uploader.userId);
        if (!slot) throw tooManyRequests(limits.busyMs);

        await using upload = await receive(request);
        const examined = await examiner.examine(upload, options.brands);
        // The upload may have taken an hour: the session may have ended, or the person may have left the organisation.
        const caller = await requireCaller(options.whoIsCalling, request, "publish");
        const publisher = { ...caller, isPrivate, ownerId: await ownerIdOf(caller, owner) };
        if (check) return checkedUpload(options, publisher, examined, upload);
        const refusal = refusalOf(examined);
        if (refusal || !examined.candidate) throw refusal ?? new Problem("metadata-refused");
        const published = await publish(options, publisher, examined.candidate, upload, examined.notes);
        reply.code(201).header("location", `${options.baseUrl}/registry/packages/${published.identifier}`);
        // Returned, not sent, so that the upload is deleted and its slot is free before the answer.
        return published;
      },
    );
  });

  async function receive({ raw }: FastifyRequest) {
    allowSlowBody(raw, { idleMs: limits.uploadIdleMs, withinMs: limits.uploadWithinMs });
    // A client whose body is not read to the end may not read the answer.
    const received = await receiveUpload(raw, uploads, limits.maxArchiveBytes).finally(() => raw.resume());
    if (received === "too-large") throw tooLarge(limits.maxArchiveBytes);
    if (received === "cut-off")
      throw new Problem("malformed-request", { detail: "The upload ended before its last byte." });
    return received;
  }

  serveStatus(app, options, { onRequest: CHANGING, admit });
  serveUnpublishing(app, options, { onRequest: CHANGING, admit });
  serveVisibility(app, options, { onRequest: CHANGING, admit });
}

const PUBLISH_PROBLEMS = [
  ...(["owner-only", "package-not-yours", "version-exists", "quota-reached", "metadata-refused"] as const),
  ...(["archive-refused", "too-many-requests", "archives-unavailable"] as const),
];

const CHANGING = [
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header("cache-control", "no-store");
    refuseForeignPage(request);
  },
];

function refuseUnfit({ headers }: FastifyRequest, maxBytes: number): void {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!ARCHIVE_TYPES.has(type)) {
    throw new Problem("unsupported-media-type", { detail: "Send the archive itself, as application/zip." });
  }
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

const tooLarge = (maxBytes: number): Problem =>
  new Problem("payload-too-large", { detail: `An archive has at most ${Math.floor(maxBytes / 1024 / 1024)} MB.` });
