import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import type { PanelsTables } from "../tables.ts";

/** What fails because its workspace was removed meanwhile is told as that. */
export async function unlessRemoved<Result>(
  { shortLived }: Pick<Database<PanelsTables>, "shortLived">,
  workspaceId: string,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (fault) {
    const found = await shortLived
      .selectFrom("panels_workspaces")
      .select("id")
      .where("id", "=", workspaceId)
      .executeTakeFirst();
    if (found) throw fault;
    throw new Problem("not-found", { detail: "This workspace was removed meanwhile." });
  }
}
