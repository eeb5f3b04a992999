import type { Session } from "@backplane/intents/contract";
import type { AreaName, Overview } from "@backplane/platform/contract";
import { isBuilt } from "./areas.ts";

type StepId = "start" | "sign-in" | "connect" | "publish" | "panel";

/** When each step was done, as far as it was. */
export type DoneAt = Partial<Record<StepId, Date>>;

type Step = {
  id: StepId;
  title: string;
  /** The area without which the step cannot be taken. */
  needs?: AreaName;
  /** Shown while the step is the next one. */
  more?: string;
  command?: string;
  /** The page on which it is taken. */
  page?: { address: string; word: string };
};

export type StepView = Step &
  ({ status: "done"; doneAt: Date } | { status: "next" } | { status: "todo" } | { status: "not-built" });

const steps: Step[] = [
  { id: "start", title: "Start Backplane" },
  {
    id: "sign-in",
    title: "Sign in as owner",
    needs: "intents",
    more: "The name and the password were shown once in the terminal.",
    page: { address: "/auth/sign-in", word: "Sign in" },
  },
  {
    id: "connect",
    title: "Connect your terminal",
    needs: "intents",
    more: "Run this in your project. It prints a code; compare it here and approve. This step ticks itself when the terminal is connected.",
    command: "npx backplane login",
  },
  {
    id: "publish",
    title: "Publish a package",
    needs: "registry",
    more: "Run this in the folder of the package. It checks the metadata, then uploads the archive.",
    command: "npx backplane pkg publish",
  },
  {
    id: "panel",
    title: "Open a panel from a program",
    needs: "panels",
    more: "Run this while a workspace is open in the browser, and watch the panel appear.",
    command: "npx backplane panel open sandbox",
  },
];

/** The first steps in order. Next is the first that can be taken and is not done. */
export function firstSteps(areas: Overview["areas"], doneAt: DoneAt): StepView[] {
  const built = ({ needs }: Step) => needs === undefined || isBuilt(areas, needs);
  const next = steps.find((step) => !doneAt[step.id] && built(step));
  return steps.map((step): StepView => {
    const at = doneAt[step.id];
    if (at) return { ...step, status: "done", doneAt: at };
    if (!built(step)) return { ...step, status: "not-built" };
    return { ...step, status: step === next ? "next" : "todo" };
  });
}

export function doneCount(views: StepView[]): string {
  return `${views.filter(({ status }) => status === "done").length} of ${views.length} done`;
}

/** When the first program that is still connected was approved. */
export function firstConnection(sessions: readonly Pick<Session, "kind" | "created_at">[]): Date | undefined {
  const [first] = sessions
    .filter(({ kind }) => kind === "Application")
    .map(({ created_at: createdAt }) => createdAt)
    .sort();
  return first === undefined ? undefined : new Date(first);
}
