import type {
  EvalLog,
  EvalResult,
  JsonData,
  Order,
  SandboxCondition,
  SandboxJournal,
  SandboxState,
} from "@backplane/contract/panels";
import { call } from "../../../calls/call.ts";
import { OrderRefused, type PanelContext } from "../../panel.ts";
import { createStore } from "../../store.ts";
import { controlFault, panelControl } from "../driven-panel.tsx";
import { appendLines } from "../output-lines.ts";
import {
  answerLines,
  CONSOLE_LIMITS,
  type ConsoleLine,
  createLineBuffer,
  errorLine,
  inputLine,
  logLine,
  outcomeLine,
  shownCode,
} from "./console-lines.ts";
import { answerOf } from "./frame-calls.ts";
import { frameAddress, newWindowName, openFrame, type SandboxFrame } from "./open-frame.ts";
import { createRestore } from "./restore.ts";
import { leftOutWords, ranAgainWords } from "./run-again.ts";

export type SandboxView = {
  readonly condition: SandboxCondition;
  readonly lines: readonly ConsoleLine[];
  /** The output; meanwhile, only the last lines are drawn. */
  readonly hasPaused: boolean;
  readonly isHeaderHidden: boolean;
  readonly drivenBy: string | undefined;
  readonly isResetting: boolean;
  /** drawn: code ran in the frame, whether it drew something or not. */
  readonly content: "unknown" | "empty" | "drawn";
  /** Why the frame does not show all that was drawn before, in words. */
  readonly left: string | undefined;
  /** Whether code runs in this window, of all that show the sandbox. */
  readonly isPrimary: boolean;
};

/** A sandbox in this window: its frame, its console, and the orders for both. */
export function createSandboxSession(context: PanelContext, holder: HTMLElement) {
  const control = panelControl("sandbox", context);
  const sandboxState = () => context.state() as SandboxState;
  const store = createStore<SandboxView>({
    condition: "loading",
    lines: [],
    hasPaused: true,
    isHeaderHidden: sandboxState().headerHidden === true,
    drivenBy: context.drivenBy(),
    isResetting: false,
    content: "unknown",
    left: undefined,
    isPrimary: context.isPrimary(),
  });
  const buffer = createLineBuffer((added, hasPaused) =>
    store.update({ lines: appendLines(store.state().lines, added, CONSOLE_LIMITS), hasPaused }),
  );
  const typed = createTypedCode(control, buffer);
  const shown = createShownFrame(context, holder, {
    onLog: (log) => {
      if (!restore.isReplaying()) buffer.add(logLine(log));
    },
    onCondition: (condition) => store.update({ condition }),
    onReplaced: () => store.update({ condition: "loading", content: "empty", left: undefined }),
  });
  const restore = createRestore({
    ...{ context, windowName: newWindowName(Math.random), follow: shown.follow, replace: shown.replace },
    read: () => readJournal(control.path, context.tabId),
    onRestored({ count, left, isNew }) {
      if (count > 0 && left === undefined) buffer.add(logLine({ level: "info", text: ranAgainWords(count) }));
      const { content } = store.state();
      store.update({
        left: left && leftOutWords(left, isNew),
        content: count > 0 || left ? "drawn" : content === "unknown" ? "empty" : content,
      });
    },
  });
  void restore.start();

  async function run(order: Extract<Order, { kind: "eval" }>, untilMs: number): Promise<JsonData> {
    await restore.whenDone(order);
    const { code, isPrepared, timeoutMs } = order;
    const text = shownCode(code, isPrepared);
    if (!typed.isOrdered(text)) buffer.add(inputLine(text));
    if (store.state().content !== "drawn") store.update({ content: "drawn" });
    const frame = shown.current();
    const outcome = await frame.run(code, isPrepared, timeoutMs, untilMs);
    buffer.add(outcomeLine(outcome));
    const ran = restore.noteRun(frame, outcome);
    return { ...answerOf(outcome), ...(ran ? { ran } : {}) };
  }

  const stopOrders = context.onOrder(async (order, untilMs) => {
    if (order.kind === "eval") return run(order, untilMs);
    if (order.kind === "sandbox") return shown.current().condition();
    if (order.kind !== "reset") throw new OrderRefused("unsupported", "A sandbox cannot do this.");
    await shown.follow(order.generation).ready;
    return null;
  });
  const stopState = context.onState(() => {
    const { headerHidden, generation = 0 } = sandboxState();
    shown.follow(generation);
    store.update({ isHeaderHidden: headerHidden === true, drivenBy: context.drivenBy() });
  });
  const stopPrimary = context.onPrimary(() => store.update({ isPrimary: true }));

  return {
    view: store.state,
    subscribe: store.subscribe,

    submit: typed.submit,

    async reset(): Promise<void> {
      if (store.state().isResetting) return;
      store.update({ isResetting: true });
      const answer = await control.act({ action: "reset" });
      store.update({ isResetting: false });
      if (!answer.ok) buffer.add(errorLine(controlFault(answer.fault)));
    },

    clear(): void {
      buffer.flush();
      store.update({ lines: [] });
    },

    /** Nobody has to be told any more. */
    hideLeft: (): void => store.update({ left: undefined }),

    rasterise: (background: string) => shown.current().rasterise(background),

    dispose(): void {
      stopOrders();
      stopState();
      stopPrimary();
      restore.dispose();
      buffer.dispose();
      shown.close();
    },
  };
}

async function readJournal(path: string, tabId: string): Promise<SandboxJournal | undefined> {
  const query = `panelId=${encodeURIComponent(tabId)}`;
  const answer = await call<SandboxJournal>({ method: "GET", path: `${path}/journal?${query}` });
  return answer.ok ? answer.value : undefined;
}

/** Code that was typed here and is not answered yet. */
function createTypedCode(control: SandboxControl, buffer: ReturnType<typeof createLineBuffer>) {
  const waiting = new Set<{ code: string; isOrdered: boolean }>();
  return {
    /** Whether this order is for code that was typed here: then the code is shown already. */
    isOrdered(text: string): boolean {
      const own = [...waiting].find((one) => !one.isOrdered && one.code.startsWith(text));
      if (own) own.isOrdered = true;
      return own !== undefined;
    },
    /** Sent the same way as code of programs, so that it runs once, where their code runs. */
    async submit(code: string): Promise<void> {
      const own = { code, isOrdered: false };
      waiting.add(own);
      buffer.add(inputLine(code));
      buffer.flush();
      const answer = await control.act<EvalResult>({ action: "eval", code });
      waiting.delete(own);
      if (!answer.ok) buffer.add(errorLine(controlFault(answer.fault)));
      else if (!own.isOrdered) buffer.add(...answerLines(answer.value));
    },
  };
}

type SandboxControl = ReturnType<typeof panelControl<"sandbox">>;

type ShownFrame = {
  current(): SandboxFrame;
  /** Replaces the frame if this generation is newer. */
  follow(generation: number): SandboxFrame;
  replace(): SandboxFrame;
  close(): void;
};

type ShownFrameEvents = {
  onLog(log: EvalLog): void;
  onCondition(condition: SandboxCondition): void;
  /** By an empty one. */
  onReplaced(): void;
};

/** The frame of the generation that is shown. */
function createShownFrame(context: PanelContext, holder: HTMLElement, events: ShownFrameEvents): ShownFrame {
  const { owner, repo } = context.workspace;
  const path = `${owner}/${repo}/${context.tabId}`.toLowerCase();
  const open = (generation: number): SandboxFrame =>
    openFrame({
      ...{ holder, generation, onLog: events.onLog, onCondition: events.onCondition },
      // Never one that was used: the process of a frame that did not answer may still be there.
      address: frameAddress(context.framesUrl, { path, window: newWindowName(Math.random), generation }),
    });
  let frame = open((context.state() as SandboxState).generation ?? 0);

  function replaceBy(generation: number): SandboxFrame {
    frame.close();
    events.onReplaced();
    frame = open(generation);
    return frame;
  }
  return {
    current: () => frame,
    follow: (generation) => (generation <= frame.generation ? frame : replaceBy(generation)),
    replace: () => replaceBy(frame.generation),
    close: () => frame.close(),
  };
}

export type SandboxSession = ReturnType<typeof createSandboxSession>;
