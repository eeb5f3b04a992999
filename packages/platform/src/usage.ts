import { PANELS_LIMITS } from "@backplane/contract/panels";
import { Usage, UsageQuery } from "@backplane/contract/platform";
import { requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { Quotas } from "@backplane/kit/settings";
import type { PanelsArea } from "@backplane/panels";
import type { RegistryArea } from "@backplane/registry";

export type UsageOptions = {
  whoIsCalling: WhoIsCalling;
  resolve: (userId: string, ownerName: string) => Promise<string | undefined>;
  panels: Pick<PanelsArea, "usageOf">;
  registry: Pick<RegistryArea, "usageOf">;
  quotas: Quotas;
};

/** GET /api/usage: how much of its quotas an owner uses. */
export function serveUsage(app: App, { whoIsCalling, resolve, panels, registry, quotas }: UsageOptions): void {
  app.get(
    "/api/usage",
    {
      schema: {
        tags: ["accounts"],
        summary: "What you or one of your organisations use, and the quotas",
        access: "read",
        problems: ["not-found"],
        querystring: UsageQuery,
        response: { 200: Usage },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      const { userId, userName } = await requireCaller(whoIsCalling, request, "read");
      const { owner = userName } = request.query;
      const ownerId = await resolve(userId, owner);
      if (ownerId === undefined) {
        throw new Problem("not-found", { detail: `You are not ${owner}, nor in an organisation of this name.` });
      }
      const [files, published] = await Promise.all([panels.usageOf(ownerId), registry.usageOf(ownerId)]);
      return {
        owner,
        files: { bytes: files.bytes, maxBytes: quotas.fileBytes },
        workspaces: { count: files.workspaces, max: PANELS_LIMITS.maxWorkspacesPerOwner },
        archives: { bytes: published.archiveBytes, maxBytes: quotas.archiveBytes, versions: published.versions },
        packages: { count: published.packages, max: quotas.packages },
      };
    },
  );
}
