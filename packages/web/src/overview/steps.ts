import type { Session } from "@backplane/contract/accounts";

type StepId = "start" | "sign-in" | "connect" | "publish" | "panel";

/** When each step was done; steps that are not done are missing. */
export type DoneAt = Partial<Record<StepId, Date>>;

type Step = {
  id: StepId;
  title: string;
  /** Shown while the step is the next one. */
  more?: string;
  command?: string;
  /** The page to take the step on. */
  page?: { address: string; word: string };
};

export type StepView = Step & ({ status: "done"; doneAt: Date } | { status: "next" } | { status: "todo" });

const steps: Step[] = [
  { id: "start", title: "Start Backplane" },
  {
    id: "sign-in",
    title: "Sign in as owner",
    more: "The name and the password were shown once in the terminal.",
    page: { address: "/auth/sign-in", word: "Sign in" },
  },
  {
    id: "connect",
    title: "Connect your terminal",
    more: "Run this in your project. It prints a code; compare it here and approve. This step is done when the terminal is connected.",
    command: "npx backplane login",
  },
  {
    id: "publish",
    title: "Publish a package",
    more: "Run this in the folder of the package. It checks the metadata, then uploads the archive.",
    command: "npx backplane pkg publish",
  },
  {
    id: "panel",
    title: "Open a panel from a program",
    more: "Run this while a workspace is open in the browser, and watch the panel appear.",
    command: "npx backplane panel open sandbox",
  },
];

/** The first steps in order. The next step is the first that is not done. */
export function firstSteps(doneAt: DoneAt): StepView[] {
  const next = steps.find((step) => !doneAt[step.id]);
  return steps.map((step): StepView => {
    const at = doneAt[step.id];
    if (at) return { ...step, status: "done", doneAt: at };
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
