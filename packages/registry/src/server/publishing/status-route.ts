import { type PackageVersion, PublishedVersion, StatusChange } from "@backplane/contract/registry";
import type { Caller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { readVersionKey } from "../../versions/version-numbers.ts";
import { archiveUrl } from "../catalogue/archive-address.ts";
import { changeStatus } from "./listing.ts";
import { PUBLISHING_LIMITS, type PublishingOptions } from "./options.ts";
import { notYoursSentence } from "./refusals.ts";
import { identifierKey } from "./rows.ts";

const params = Type.Object({ identifier: Type.String({ maxLength: 100 }), version: Type.String({ maxLength: 40 }) });

/** Nothing else can be listed, and PostgreSQL refuses text with NUL. */
const IDENTIFIER = /^[-a-zA-Z0-9.]+$/;

type Around = {
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
        params,
        body: StatusChange,
        response: { 200: PublishedVersion },
      },
    },
    async (request) => {
      const { userId, userName } = await admit(request);
      const { status } = request.body;
      if (!IDENTIFIER.test(request.params.identifier)) throw new Problem("package-unknown");
      const identifier_key = identifierKey(request.params.identifier);
      const listed = await database.durable
        .selectFrom("registry_packages")
        .select(["identifier", "owner_id"])
        .where("identifier_key", "=", identifier_key)
        .executeTakeFirst();
      if (!listed) throw new Problem("package-unknown");
      const { identifier, owner_id } = listed;
      if (!(await owners.mayAct(userId, owner_id))) {
        throw new Problem("package-not-yours", { detail: notYoursSentence(identifier) });
      }
      const number = readVersionKey(request.params.version);
      const found = number && (await changeStatus(database, { identifier_key, number, status, nowMs: now() }));
      if (!number || !found) throw new Problem("version-unknown");
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
        download_url: archiveUrl(baseUrl, identifier, version),
        download_sha256: row.sha256,
        download_size: row.size,
        install_size: row.install_size,
        warnings: [],
      };
    },
  );
}
