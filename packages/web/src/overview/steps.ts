import type { FirstSteps } from "@backplane/contract/platform";

type StepId = keyof FirstSteps | "start" | "account" | "sign-in";

/** When each step was done; steps that are not done are missing. */
export type DoneAt = Partial<Record<StepId, Date>>;

/** Who the steps are for: the owner who started this instance, or somebody who was invited to it. */
type Newcomer = "owner" | "invited";

type Step = {
  id: StepId;
  title: string;
  /** Shown while the step is the next one. */
  more?: string;
  /** What follows `backplane`. */
  command?: string;
  /** Pasted elsewhere, such as an address into KiCad. */
  paste?: string;
  /** The page to take the step on. */
  page?: { address: string; word: string };
};

export type StepView = Step & ({ status: "done"; doneAt: Date } | { status: "next" } | { status: "todo" });

const connect: Step = {
  id: "connect",
  title: "Connect your terminal",
  more: "Run this in your project. It prints a code and opens a page that shows one too: if both are the same, approve. Then this step is ticked.",
  command: "login",
};

const kicad = (url: string): Step => ({
  id: "kicad",
  title: "Add the package repository to KiCad",
  more: "In KiCad: Plugin and Content Manager, Manage, plus. Paste this address. This step is ticked when KiCad loads the list.",
  paste: url,
});

const ownersSteps = (kicadSteps: Step[]): Step[] => [
  { id: "start", title: "Start Backplane" },
  { id: "sign-in", title: "Sign in as owner" },
  connect,
  {
    id: "publish",
    title: "Publish a package",
    more: "Run this in the folder of the package; for a new one, pkg init writes its metadata first. It checks the metadata, then uploads the archive.",
    command: "pkg publish",
  },
  ...kicadSteps,
  {
    id: "panel",
    title: "Open a panel from a program",
    more: "Run this while a workspace is open in the browser, and watch the panel appear.",
    command: "panel open sandbox",
  },
];

const guestsSteps = (kicadSteps: Step[]): Step[] => [
  { id: "account", title: "Create your account" },
  {
    id: "passkey",
    title: "Add a passkey",
    more: "It replaces the password on this device: a fingerprint, a PIN or a key signs you in.",
    page: { address: "/account", word: "Go to your account" },
  },
  ...kicadSteps,
  connect,
  {
    id: "workspace",
    title: "Open a workspace",
    more: "A workspace is a page of panels that you and your programs share.",
    page: { address: "/workspaces", word: "Go to the workspaces" },
  },
];

export type StepsOf = { who: Newcomer; kicadUrl?: string | undefined; doneAt: DoneAt };

/** The first steps in order. The next step is the first that is not done. */
export function firstSteps({ who, kicadUrl, doneAt }: StepsOf): StepView[] {
  const kicadSteps = kicadUrl === undefined ? [] : [kicad(kicadUrl)];
  const steps = who === "owner" ? ownersSteps(kicadSteps) : guestsSteps(kicadSteps);
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

export const timesOf = (steps: FirstSteps): DoneAt =>
  Object.fromEntries(Object.entries(steps).map(([id, at]) => [id, new Date(at)]));
