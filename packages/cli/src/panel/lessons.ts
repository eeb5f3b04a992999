import type { LessonStep } from "@backplane/contract/panels";
import { SHAPES, table } from "../terminal.ts";
import { plain } from "../text.ts";
import { type PanelFlags, withWorkspace } from "./with-workspace.ts";

type Host = NodeJS.Process;

/** The lessons of the project and how far the caller is, or the steps of one. */
export const lessons = (host: Host, path: string | undefined, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, name, answer, out }) => {
    if (path !== undefined) {
      const lesson = await workspace.lesson(path);
      answer(lesson, () => {
        out.line(plain(lesson.title));
        for (const step of lesson.steps) {
          const shape = step.done ? out.paint("ok", SHAPES.ok) : " ";
          out.line(`${shape} ${plain(titleOf(step))}${plain(stateOf(step))}`);
        }
      });
      return undefined;
    }
    const list = await workspace.lessons();
    answer(list, () => {
      if (list.lessons.length === 0) out.line(`${name} has no lessons: they are .md files in its folder lessons.`);
      const rows = list.lessons.map(({ path: file, title, steps, done, fault }) => [
        ...[plain(file), plain(title), fault === null ? `${done} of ${steps} done` : plain(fault)],
      ]);
      for (const line of table(rows)) out.line(line);
    });
    return undefined;
  });

const titleOf = ({ title }: Pick<LessonStep, "title">): string => title.map(({ text }) => text).join("");

function stateOf({ done, check, checkText }: LessonStep): string {
  if (done) return `: ${done.because}`;
  return check === null ? "" : `: done when ${checkText}`;
}
