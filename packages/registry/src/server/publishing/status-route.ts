import { type PackageVersion, PublishedVersion, StatusChange } from "@backplane/contract/registry";
import type { Caller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { archiveUrl } from "../catalogue/archive-address.ts";
import { changeStatus } from "./listing.ts";
import { PUBLISHING_LIMITS, type PublishingOptions } from "./options.ts";
import { findOwned, missingProblem, OWNED_VERSION_PROBLEMS, VersionParams } from "./owned-version.ts";

export type Around = {
  onRequest: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>)[];
  admit: (request: FastifyRequest) => Promise<Caller>;
};

/** The status is the only part of a published version that can change. */
export function serveStatus(app: App, options: PublishingOptions, { onRequest, admit }: Around): void {
  const { database, owners, baseUrl, now, onFault } = options;

  app.patch(
    "/registry/packages/:identifier/versions/:version",
    {
      onRequest,
      bodyLimit: PUBLISHING_LIMITS.maxStatusBytes,
      schema: {
        tags: ["registry"],
        summary: "Change the status of a version you publish",
        access: "publish",
        problems: OWNED_VERSION_PROBLEMS,
        params: VersionParams,
        body: StatusChange,
        response: { 200: PublishedVersion },
      },
    },
    async (request) => {
      const { userId, userName } = await admit(request);
      const { status } = request.body;
      const owned = await findOwned(options, userId, request.params);
      const { identifier, identifier_key, owner_id, isPrivate, number } = owned;
      if (!(await changeStatus(database, { identifier_key, number, status, nowMs: now() }))) {
        throw await missingProblem(database, owned);
      }
      await options.changed().catch(onFault);
      const [epoch, major, minor, patch] = number;
      const row = await database.durable
        .selectFrom("registry_versions")
        .select(["metadata", "sha256", "size", "install_size"])
        .where((version) => version.and({ identifier_key, epoch, major, minor, patch }))
        .executeTakeFirstOrThrow();
      const version = JSON.parse(row.metadata) as PackageVersion;
      return {
        identifier,
        version: version.version,
        version_epoch: epoch,
        status,
        owner: (await owners.nameOf(owner_id)) ?? userName,
        private: isPrivate,
        download_url: archiveUrl(baseUrl, identifier, version),
        download_sha256: row.sha256,
        download_size: row.size,
        install_size: row.install_size,
        warnings: [],
      };
    },
  );
}
