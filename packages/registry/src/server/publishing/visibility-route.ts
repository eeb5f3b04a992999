import { VisibilityChange } from "@backplane/contract/registry";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { changeVisibility } from "./listing.ts";
import { PUBLISHING_LIMITS, type PublishingOptions } from "./options.ts";
import { findOwnedPackage, OWNED_PACKAGE_PROBLEMS, PackageParams } from "./owned-version.ts";
import type { Around } from "./status-route.ts";

/** Whether everybody sees a package, or only its owner and who has a secret address. */
export function serveVisibility(app: App, options: PublishingOptions, { onRequest, admit }: Around): void {
  app.patch(
    "/registry/packages/:identifier",
    {
      onRequest,
      bodyLimit: PUBLISHING_LIMITS.maxStatusBytes,
      schema: {
        tags: ["registry"],
        summary: "Make a package of yours private, or public",
        access: "publish",
        problems: OWNED_PACKAGE_PROBLEMS,
        params: PackageParams,
        body: VisibilityChange,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await admit(request);
      const { identifier_key, ...before } = await findOwnedPackage(options, userId, request.params.identifier);
      const { private: isPrivate } = request.body;
      if (before.isPrivate !== isPrivate) {
        await changeVisibility(options.database, { identifier_key, isPrivate, nowMs: options.now() });
        await options.changed().catch(options.onFault);
      }
      return reply.code(204).send(null);
    },
  );
}
