import { Unpublishing } from "@backplane/contract/registry";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { forgetUpload } from "./kept-uploads.ts";
import { unpublishVersion } from "./listing.ts";
import { PUBLISHING_LIMITS, type PublishingOptions } from "./options.ts";
import { findOwned, missingProblem, OWNED_VERSION_PROBLEMS, VersionParams } from "./owned-version.ts";
import type { Around } from "./status-route.ts";

/** For an archive that should never have been published. Its bytes go; its number stays reserved, with the reason. */
export function serveUnpublishing(app: App, options: PublishingOptions, { onRequest, admit }: Around): void {
  const { database, blobs, now } = options;

  app.delete(
    "/registry/packages/:identifier/versions/:version",
    {
      onRequest,
      bodyLimit: PUBLISHING_LIMITS.maxReasonBytes,
      schema: {
        tags: ["registry"],
        summary: "Unpublish a version: its archive is deleted, its number stays reserved",
        access: "publish",
        problems: [...OWNED_VERSION_PROBLEMS, "archives-unavailable"],
        params: VersionParams,
        body: Unpublishing,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await admit(request);
      const owned = await findOwned(options, userId, request.params);
      const { reason } = request.body;
      const blobKey = await unpublishVersion(database, { ...owned, reason, userId, nowMs: now() });
      if (blobKey === undefined) throw await missingProblem(database, owned);
      await options.changed().catch(options.onFault);
      // If this fails the caller learns it, and the sweeper removes the bytes later.
      await blobs.remove(blobKey);
      await forgetUpload(database, blobKey);
      return reply.code(204).send(null);
    },
  );
}
