import type { Progress } from "@backplane/registry/manager";
import { openProgress } from "../connect/progress.ts";
import { countOf, plain, sizeOf } from "./words.ts";

type Stream = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean; columns?: number };

export type Shown = Disposable & {
  show(progress: Progress): void;
  says(text: string): void;
  /** `count` is how far it is, for those who see it turn. */
  counts(text: string, count: string): void;
};

/** On a terminal one line that counts; elsewhere a line for each thing that begins. */
export function showProgress(stream: Stream, { isDumb, isQuiet }: { isDumb: boolean; isQuiet: boolean }): Shown {
  if (isQuiet) return { show() {}, says() {}, counts() {}, [Symbol.dispose]() {} };
  const progress = openProgress(stream, isDumb, Date.now);
  const isTurning = stream.isTTY === true && !isDumb;
  const saidOnce = new Set<string>();
  /** Several things that go on at once would else be said in turns, without end. */
  const once = (text: string) => {
    if (saidOnce.has(text)) return;
    saidOnce.add(text);
    progress.says(text);
  };
  return {
    show: (step) => (isTurning ? progress.says(counted(step)) : once(begun(step))),
    says: (text) => progress.says(text),
    counts: (text, count) => (isTurning ? progress.says(`${text}${count}`) : once(text)),
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}

function begun(step: Progress): string {
  switch (step.kind) {
    case "download":
      return `Downloading ${plain(step.identifier)}${step.total === undefined ? "" : `, ${sizeOf(step.total)}`}`;
    case "unpack":
      return `Unpacking ${plain(step.identifier)}, ${sizeOf(step.total)}`;
    case "refresh":
      return `Reading the list of ${plain(step.repository)}`;
    case "mirror":
      return `Copying ${countOf(step.total, "version")}`;
  }
}

function counted(step: Progress): string {
  switch (step.kind) {
    case "download": {
      const all = step.total === undefined ? "" : ` of ${sizeOf(step.total)}`;
      return `Downloading ${plain(step.identifier)}, ${sizeOf(step.done)}${all}`;
    }
    case "unpack":
      return `Unpacking ${plain(step.identifier)}, ${sizeOf(step.done)} of ${sizeOf(step.total)}`;
    case "refresh":
      return `Reading lists, ${step.done} of ${step.total}: ${plain(step.repository)}`;
    case "mirror":
      return `Copying ${plain(step.identifier)}, ${step.done} of ${step.total}`;
  }
}
