import { Backups, StartedBackup } from "@backplane/contract/backups";
import { type App, refuseForeignPage } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import type { Schedule } from "./schedule.ts";

type BackupRoutes = {
  requireInstanceOwner(request: FastifyRequest): Promise<unknown>;
  backups: Pick<Schedule, "read" | "start">;
};

const tags = ["Operation"];

/** What the owner sees of backups, and "back up now". */
export function serveBackups(app: App, { requireInstanceOwner, backups }: BackupRoutes): void {
  app.get(
    "/api/system/backups",
    {
      schema: {
        tags,
        summary: "Backups that run or ran, the newest first",
        access: "instance-owner",
        response: { 200: Backups },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      await requireInstanceOwner(request);
      return backups.read();
    },
  );

  app.post(
    "/api/system/backups",
    {
      onRequest: async (request) => refuseForeignPage(request),
      schema: {
        tags,
        summary: "Back up now, to BACKUP_TO",
        description: "The list says how far it is.",
        access: "instance-owner",
        problems: ["backup-running"],
        response: { 202: StartedBackup },
      },
    },
    async (request, reply) => {
      await requireInstanceOwner(request);
      const id = await backups.start();
      if (id === undefined)
        throw new Problem("backup-running", { detail: "Wait for it: the list says how far it is." });
      reply.code(202).header("cache-control", "no-store");
      return { id };
    },
  );
}
