import { Lesson, Lessons, ReportedStep, ReportStep, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { expectPath } from "../files/file-path.ts";
import { about, aboutReading, CHANGING, CURRENT, READING } from "../route-options.ts";
import type { Services } from "../services.ts";
import { createLessons } from "./lessons.ts";
import { SAMPLE_LESSONS } from "./samples.ts";
import { createLessonStore } from "./store.ts";

const LIST = `${CURRENT}/lessons`;
const LessonParams = Type.Object({ ...WorkspaceParams.properties, "*": Type.String({ examples: ["lessons/a.md"] }) });
const PROBLEMS = ["file-name-refused", "file-unknown", "file-changed", "payload-too-large", "lesson-refused"] as const;

/** …/current/lessons. What is done belongs to the person who asks. */
export function serveLessons(
  app: App,
  services: Pick<Services, "workspaces" | "files" | "database" | "measured" | "log" | "now">,
): void {
  const { workspaces, database, log } = services;
  const lessons = createLessons({ ...services, store: createLessonStore(database) });

  app.get(
    LIST,
    {
      ...READING,
      schema: { ...aboutReading("The lessons of the project, and how far you are"), response: { 200: Lessons } },
    },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      const found = await lessons.list(workspace, caller.userId);
      return { lessons: found, samples: found.length === 0 ? [...SAMPLE_LESSONS] : [] };
    },
  );

  app.get(
    `${LIST}/*`,
    {
      ...READING,
      schema: {
        ...aboutReading("One lesson, with what you have done of it", undefined, PROBLEMS),
        ...{ params: LessonParams, response: { 200: Lesson } },
      },
    },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      return lessons.read(workspace, caller.userId, expectPath(request.params["*"]).path);
    },
  );

  app.post(
    `${LIST}/*`,
    {
      ...CHANGING,
      schema: {
        ...about(
          "Ask whether a step is done",
          "The server looks at what devices sent in the last seconds, into the file, or at how the script ended that you ran: a step is done when its check was met, and by nothing else. Until then `isDone` is false.",
          [...PROBLEMS, "step-unknown"],
        ),
        ...{ params: LessonParams, body: ReportStep, response: { 200: ReportedStep } },
      },
    },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      const { path } = expectPath(request.params["*"]);
      const { step, run } = request.body;
      const { isNew, ...reported } = await lessons.report(workspace, caller.userId, path, step, run);
      if (isNew) log.note(workspace.id, "info", "lessons", `${caller.userName} has done "${step}" of ${path}`);
      return reported;
    },
  );

  app.delete(
    `${LIST}/*`,
    {
      ...CHANGING,
      schema: {
        ...about("Forget what you have done of a lesson", undefined, ["file-name-refused"]),
        ...{ params: LessonParams, response: { 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      await lessons.forget(workspace, caller.userId, expectPath(request.params["*"]).path);
      return reply.code(204).send(null);
    },
  );
}
