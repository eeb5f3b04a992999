import "./curriculum.css";
import type { Lesson, LessonStep, LessonSummary, Lessons } from "@backplane/contract/panels";
import { useEffect, useId, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import { useWork } from "../../../calls/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultLine } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Note } from "../../../parts/note.tsx";
import { clock } from "../../../parts/times.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { writeFile } from "../project-files/file-calls.ts";
import { reactPanel, usePanelState } from "../react-panel.tsx";
import { type Follow, LessonText, Spans } from "./lesson-text.tsx";
import { StepCheck } from "./step-check.tsx";
import { afterOf, currentOf, targetsOf } from "./targets.ts";
import { useLesson, useLessonList } from "./use-lessons.ts";

export const mount: MountPanel = (element, context) =>
  reactPanel(element, <Curriculum context={context} />, {
    focus: () => element.querySelector<HTMLElement>("button, summary, [tabindex]")?.focus(),
  });

/** Lessons beside the work. A step is done by its check only: there is no button for it. */
function Curriculum({ context }: { context: PanelContext }) {
  const { path } = usePanelState(context);
  const { value: list, fault, reload } = useLessonList(context);
  const choose = (chosen: string | null) => void context.setState({ path: chosen }).catch(reportError);
  return (
    <section className="panel-root curriculum" aria-label="Curriculum">
      {typeof path === "string" ? (
        <ShownLesson key={path} {...{ context, path, list, onChoose: choose }} />
      ) : (
        <LessonList {...{ context, list, fault, reload, onChoose: choose }} />
      )}
    </section>
  );
}

type Choosing = { context: PanelContext; list: Lessons | undefined; onChoose: (path: string | null) => void };

function LessonList({
  context,
  list,
  fault,
  reload,
  onChoose,
}: Choosing & { fault: string | undefined; reload: () => Promise<void> }) {
  const { setTitle } = context;
  useEffect(() => setTitle(undefined), [setTitle]);
  if (!list)
    return (
      <p className="panel-message" role="status">
        {fault ?? "Looking for lessons…"}
      </p>
    );
  if (list.lessons.length === 0) return <NoLessons {...{ context, list, reload }} />;
  const courses = Map.groupBy(list.lessons, ({ course }) => course);
  return (
    <div className="lesson-list">
      {[...courses].map(([course, lessons]) => (
        <section key={course}>
          <h3>{course}</h3>
          <ul>
            {lessons.map((lesson) => (
              <LessonRow key={lesson.path} lesson={lesson} onChoose={onChoose} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function LessonRow({
  lesson: { path, title, steps, done, fault },
  onChoose,
}: { lesson: LessonSummary } & Pick<Choosing, "onChoose">) {
  return (
    <li>
      <button type="button" onClick={() => onChoose(path)}>
        <span className="lesson-mark" aria-hidden="true">
          {fault !== null ? <Icon name="warning" /> : steps > 0 && done === steps ? <Icon name="check" /> : null}
        </span>
        <b>{title}</b>
        <span className="side">{fault === null ? `${done} of ${steps} steps` : "cannot be shown"}</span>
        {fault !== null && <span className="sub">{fault}</span>}
      </button>
    </li>
  );
}

/** Samples are files of the project like others: they can be changed and deleted. */
function NoLessons({ context, list, reload }: { context: PanelContext; list: Lessons; reload: () => Promise<void> }) {
  const { busy, run } = useWork();
  const [fault, setFault] = useState<string>();
  const add = () =>
    run(async () => {
      setFault(undefined);
      for (const { path, text } of list.samples) {
        const written = await writeFile(context.workspace, path, new TextEncoder().encode(text), "absent");
        if (written.kind === "fault") setFault(faultWords(written.fault));
      }
      await reload();
    });
  return (
    <div className="panel-message">
      <Icon name="library" />
      <h3>Curriculum</h3>
      <p>
        This project has no lessons yet. A lesson is a Markdown file in <code>lessons/</code> of this project. Its steps
        are done when a device really did what they ask for.
      </p>
      <Button look="primary" icon="plus" busy={busy} onClick={() => void add()}>
        Add sample lessons
      </Button>
      <p className="hint">Two lessons with a sensor and a motor. No hardware needed: simulators stand in.</p>
      {fault !== undefined && <FaultLine>{fault}</FaultLine>}
    </div>
  );
}

function ShownLesson({ context, path, list, onChoose }: Choosing & { path: string }) {
  const { lesson, fault, report, startAgain } = useLesson(context, path);
  const { setTitle } = context;
  const title = lesson?.title;
  useEffect(() => setTitle(title), [title, setTitle]);
  if (!lesson) {
    return (
      <div className="panel-message" role="status">
        <p>{fault ?? "Opening the lesson…"}</p>
        {fault !== undefined && <Button onClick={() => onChoose(null)}>All lessons</Button>}
      </div>
    );
  }
  const checked = lesson.steps.filter(({ check }) => check !== null);
  const done = checked.filter((step) => step.done !== null).length;
  const current = currentOf(lesson.steps);
  const follow: Follow = ({ panel, file }) => {
    if (file?.startsWith("lessons/")) onChoose(file);
    else if (file !== undefined) void context.open("code-editor", { path: file }).catch(reportError);
    else if (panel !== undefined) void context.open(panel, stateFor(panel, context, current)).catch(reportError);
  };
  return (
    <>
      <Head {...{ lesson, list, done, of: checked.length, current }} onStartAgain={startAgain} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach it to scroll it */}
      <section className="lesson-body" aria-label="Lesson" tabIndex={0}>
        {fault !== undefined && <Note tone="warn">{fault}</Note>}
        <LessonText blocks={lesson.text} onFollow={follow} />
        <ol className="lesson-steps">
          {lesson.steps.map((step, index) => (
            <Step key={step.id} {...{ step, follow }} number={index + 1} isCurrent={step === current}>
              {step === current && (
                <StepCheck {...{ context, step }} afterMs={afterOf(lesson.steps, step)} onMet={report} />
              )}
            </Step>
          ))}
        </ol>
        {checked.length > 0 && done === checked.length && <Note tone="ok">You have done this lesson.</Note>}
      </section>
      <Feet {...{ path, list, onChoose, current, steps: lesson.steps }} />
    </>
  );
}

/** The panel shows at once what the step is about. */
function stateFor(panel: string, { devices }: PanelContext, step: LessonStep | undefined) {
  if (panel === "script-runner" && step?.check?.type === "script") return { path: step.check.path };
  const [target] = step?.check?.type === "value" ? targetsOf(devices.list(), step.check) : [];
  return target?.capability.kind === panel ? { device: target.device.id, capability: target.capability.id } : {};
}

type HeadProps = {
  lesson: Lesson;
  list: Lessons | undefined;
  done: number;
  of: number;
  current: LessonStep | undefined;
  onStartAgain: () => Promise<void>;
};

function Head({ lesson, list, done, of, current, onStartAgain }: HeadProps) {
  const { busy, run } = useWork();
  const own = list?.lessons.find(({ path }) => path === lesson.path);
  const course = list?.lessons.filter((each) => each.course === own?.course) ?? [];
  const place = course.findIndex(({ path }) => path === lesson.path) + 1;
  const last = lesson.steps.findLast((step) => step.done !== null);
  return (
    <header className="lesson-head">
      <div className="lesson-facts">
        <span>{own && `${own.course} · lesson ${place} of ${course.length}`}</span>
        <span className="grow" />
        <span className="lesson-pins" aria-hidden="true">
          {lesson.steps
            .filter(({ check }) => check !== null)
            .map((step) => (
              <i key={step.id} className={step.done ? "ok" : step === current ? "on" : ""} />
            ))}
        </span>
        <span>
          {done} of {of} steps
        </span>
        {done > 0 && (
          <Button size="small" look="quiet" busy={busy} onClick={() => void run(onStartAgain)}>
            Start again
          </Button>
        )}
      </div>
      <h2>{lesson.title}</h2>
      <p className="sr" role="status">
        {last?.done && `Done: ${last.title.map(({ text }) => text).join("")}. ${done} of ${of} steps.`}
      </p>
    </header>
  );
}

type StepProps = { step: LessonStep; number: number; isCurrent: boolean; follow: Follow; children: React.ReactNode };

function Step({ step: { title, text, hints, check, done }, number, isCurrent, follow, children }: StepProps) {
  const look = done ? "done" : isCurrent ? "now" : "";
  return (
    <li className={`lesson-step ${look}`} aria-current={isCurrent ? "step" : undefined}>
      <span className="lesson-number" aria-hidden="true">
        {done ? <Icon name="check" /> : check ? number : <Icon name="info" />}
      </span>
      <div>
        <h3>
          <span className="sr">{done ? "Done: " : ""}</span>
          <Spans spans={title} onFollow={follow} />
        </h3>
        {done ? (
          <p className="muted">
            Done at {clock(new Date(done.at), new Date())}. {done.because}.
          </p>
        ) : (
          <LessonText blocks={text} onFollow={follow} />
        )}
        {!done &&
          hints.map((hint, place) => (
            <details key={hint[0]?.text}>
              <summary>{hints.length === 1 ? "Hint" : `Hint ${place + 1}`}</summary>
              <p>
                <Spans spans={hint} onFollow={follow} />
              </p>
            </details>
          ))}
        {children}
      </div>
    </li>
  );
}

type FeetProps = Pick<Choosing, "list" | "onChoose"> & {
  path: string;
  current: LessonStep | undefined;
  steps: LessonStep[];
};

function Feet({ path, list, onChoose, current, steps }: FeetProps) {
  const why = useId();
  const lessons = list?.lessons.filter(({ fault }) => fault === null) ?? [];
  const place = lessons.findIndex((each) => each.path === path);
  const [before, after] = [lessons[place - 1], place < 0 ? undefined : lessons[place + 1]];
  return (
    <nav className="lesson-feet" aria-label="Lessons">
      {before && (
        <Button
          size="small"
          look="quiet"
          icon="back"
          label={`Before: ${before.title}`}
          onClick={() => onChoose(before.path)}
        >
          Before
        </Button>
      )}
      <Button size="small" look="quiet" onClick={() => onChoose(null)}>
        All lessons
      </Button>
      <span className="grow" />
      {after && current && (
        <span id={why} className="muted">
          Next opens after step {steps.findLastIndex(({ check }) => check !== null) + 1}
        </span>
      )}
      {after && (
        <Button
          size="small"
          icon="forward"
          label={`Next: ${after.title}`}
          disabled={current !== undefined}
          describedBy={current ? why : undefined}
          onClick={() => onChoose(after.path)}
        >
          Next
        </Button>
      )}
    </nav>
  );
}
