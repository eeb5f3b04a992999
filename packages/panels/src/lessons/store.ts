import { LESSON_LIMITS } from "@backplane/contract/panels";
import type { Database } from "@backplane/kit/database";
import type { PanelsTables } from "../tables.ts";

/** One person in one workspace. */
export type Learner = { workspaceId: string; userId: string };
export type DoneStep = { path: string; step: string; checkText: string; because: string; doneAtMs: number };

export type LessonStore = ReturnType<typeof createLessonStore>;

/** Which steps of which lessons people have done. */
export function createLessonStore({ durable }: Database<PanelsTables>) {
  const rows = ({ workspaceId, userId }: Learner) =>
    durable.selectFrom("panels_lessons").where("workspace_id", "=", workspaceId).where("user_id", "=", userId);

  return {
    async list(learner: Learner, path?: string): Promise<DoneStep[]> {
      const all = rows(learner)
        .select(["path", "step", "check_text", "because", "done_at_ms"])
        .limit(LESSON_LIMITS.maxDoneSteps);
      const found = await (path === undefined ? all : all.where("path", "=", path)).execute();
      return found.map(({ check_text: checkText, done_at_ms: doneAtMs, ...row }) => ({
        ...{ ...row, checkText, doneAtMs },
      }));
    },

    /** The first time counts, as long as the check is the same. */
    async add({ workspaceId, userId }: Learner, done: DoneStep): Promise<void> {
      const changed = { check_text: done.checkText, because: done.because, done_at_ms: done.doneAtMs };
      await durable
        .insertInto("panels_lessons")
        .values({ workspace_id: workspaceId, user_id: userId, path: done.path, step: done.step, ...changed })
        .onConflict((conflict) =>
          conflict
            .columns(["workspace_id", "user_id", "path", "step"])
            .doUpdateSet(changed)
            .where("panels_lessons.check_text", "!=", done.checkText),
        )
        .execute();
      const newest = await rows({ workspaceId, userId })
        .select("done_at_ms")
        .orderBy("done_at_ms", "desc")
        .offset(LESSON_LIMITS.maxDoneSteps)
        .limit(1)
        .executeTakeFirst();
      if (!newest) return;
      await durable
        .deleteFrom("panels_lessons")
        .where("workspace_id", "=", workspaceId)
        .where("user_id", "=", userId)
        .where("done_at_ms", "<=", newest.done_at_ms)
        .execute();
    },

    /** The person begins the lesson again. */
    async forget({ workspaceId, userId }: Learner, path: string): Promise<void> {
      await durable
        .deleteFrom("panels_lessons")
        .where("workspace_id", "=", workspaceId)
        .where("user_id", "=", userId)
        .where("path", "=", path)
        .execute();
    },
  };
}
