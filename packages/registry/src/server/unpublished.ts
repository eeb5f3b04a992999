import { Problem } from "@backplane/kit/problems";

/** Instead of a version whose archive is gone. */
export const unpublishedProblem = ({ reason, atMs }: { reason: string; atMs: number }): Problem =>
  new Problem("version-unpublished", {
    detail: `It was unpublished on ${new Date(atMs).toISOString().slice(0, 10)}: ${reason}`,
  });
