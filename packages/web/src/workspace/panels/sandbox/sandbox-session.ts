import type { EvalLog, EvalResult, JsonData, Order, SandboxCondition, SandboxState } from "@backplane/contract/panels";
import { clockWithSeconds } from "../../../parts/times.ts";
import { OrderRefused, type PanelContext } from "../../panel.ts";
import { addLines, type ConsoleLine, MAX_LINES, type NewLine, shownCode, tookText } from "./console-lines.ts";
import { answerOf, type Outcome } from "./frame-calls.ts";
import { frameAddress, newWindowName, openFrame, type SandboxFrame } from "./open-frame.ts";
import { sandboxCalls, wordsOf } from "./sandbox-calls.ts";

export type SandboxView = {
  readonly standing: SandboxCondition;
  readonly lines: readonly ConsoleLine[];
  readonly isHeaderHidden: boolean;
  readonly drivenBy: string | undefined;
  readonly isResetting: boolean;
};

/** Programs send code by the hundred, and drawing must not hold it up: what it says is drawn once it pauses, or this late. */
const DRAW_AFTER_MS = 50;
const DRAW_WITHIN_MS = 500;

/** Typed here and not answered yet. What comes back as an order for this window is not shown twice. */
type Typed = { code: string; isShown: boolean };

/** A sandbox in this window: its frame, what its console shows, and what is asked of both. */
export function createSandboxSession(context: PanelContext, holder: HTMLElement) {
  const { owner, repo } = context.workspace;
  const calls = sandboxCalls(context);
  const place = { path: `${owner}/${repo}/${context.tabId}`.toLowerCase(), window: newWindowName(Math.random) };
  const listeners = new Set<() => void>();
  const typed = new Set<Typed>();
  const stateNow = () => context.state() as SandboxState;
  let view: SandboxView = {
    standing: "loading",
    lines: [],
    isHeaderHidden: stateNow().headerHidden === true,
    drivenBy: context.drivenBy(),
    isResetting: false,
  };

  function change(part: Partial<SandboxView>): void {
    view = { ...view, ...part };
    for (const listener of listeners) listener();
  }
  const now = () => clockWithSeconds(new Date());
  let unsaid: NewLine[] = [];
  let drawing: ReturnType<typeof setTimeout> | undefined;
  let lastSaidMs = 0;
  let firstUnsaidMs = 0;
  /** One timer for as long as lines come: each of them only says when it was. */
  function drawWhenQuiet(): void {
    const nowMs = performance.now();
    const isQuiet = nowMs - lastSaidMs >= DRAW_AFTER_MS;
    if (isQuiet || nowMs - firstUnsaidMs >= DRAW_WITHIN_MS) draw();
    else drawing = setTimeout(drawWhenQuiet, DRAW_AFTER_MS);
  }
  function draw(): void {
    clearTimeout(drawing);
    drawing = undefined;
    const more = unsaid;
    unsaid = [];
    if (more.length > 0) change({ lines: addLines(view.lines, more) });
  }
  function say(line: NewLine): void {
    unsaid.push(line);
    if (unsaid.length > 2 * MAX_LINES) unsaid = unsaid.slice(-MAX_LINES);
    lastSaidMs = performance.now();
    if (drawing !== undefined) return;
    firstUnsaidMs = lastSaidMs;
    drawing = setTimeout(drawWhenQuiet, DRAW_AFTER_MS);
  }
  const sayLog = ({ level, text }: EvalLog) => say({ kind: "log", level, text, at: now() });
  const sayError = (text: string) => say({ kind: "error", text, at: now() });

  function sayOutcome(outcome: Outcome): void {
    if (outcome.status === "error") sayError(outcome.error);
    else say({ kind: "result", text: outcome.text, at: tookText(outcome.durationMs) });
  }

  const open = (generation: number): SandboxFrame =>
    openFrame({
      ...{ holder, generation, onLog: sayLog },
      address: frameAddress(context.framesUrl, { ...place, generation }),
      onStanding: (standing) => change({ standing }),
    });
  let frame = open(stateNow().generation ?? 0);

  /** The frame of this generation or a newer one, in the place of an older one. */
  function follow(generation: number): SandboxFrame {
    if (generation <= frame.generation) return frame;
    frame.close();
    change({ standing: "loading" });
    frame = open(generation);
    return frame;
  }

  async function run({ code, isPrepared, timeoutMs }: Extract<Order, { kind: "eval" }>): Promise<JsonData> {
    const shown = shownCode(code, isPrepared);
    const own = [...typed].find((one) => !one.isShown && one.code.startsWith(shown));
    if (own) own.isShown = true;
    else say({ kind: "input", text: shown, at: now() });
    const outcome = await frame.run(code, isPrepared, timeoutMs);
    sayOutcome(outcome);
    return answerOf(outcome);
  }

  const stopOrders = context.onOrder(async (order) => {
    switch (order.kind) {
      case "eval":
        return run(order);
      case "reset":
        await follow(order.generation).ready;
        return null;
      case "sandbox":
        return frame.standing();
      default:
        throw new OrderRefused("unsupported", "A sandbox does not do that.");
    }
  });
  const stopState = context.onState(() => {
    const { headerHidden, generation = 0 } = stateNow();
    follow(generation);
    change({ isHeaderHidden: headerHidden === true, drivenBy: context.drivenBy() });
  });

  return {
    view: (): SandboxView => view,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    /** Goes the way of every program's code, so that it runs once, where theirs does. */
    async submit(code: string): Promise<void> {
      const own: Typed = { code, isShown: false };
      typed.add(own);
      say({ kind: "input", text: code, at: now() });
      draw();
      const answer = await calls.run(code);
      typed.delete(own);
      if (!answer.ok) sayError(wordsOf(answer.fault));
      else if (!own.isShown) sayAnswer(answer.value);
    },

    async reset(): Promise<void> {
      if (view.isResetting) return;
      change({ isResetting: true });
      const answer = await calls.reset();
      change({ isResetting: false });
      if (!answer.ok) sayError(wordsOf(answer.fault));
    },

    clear(): void {
      draw();
      change({ lines: [] });
    },
    rasterise: (background: string) => frame.rasterise(background),

    dispose(): void {
      stopOrders();
      stopState();
      clearTimeout(drawing);
      frame.close();
    },
  };

  /** It ran in another window, or has not run yet. */
  function sayAnswer(result: EvalResult): void {
    if (result.status === "queued") {
      say({ kind: "log", level: "info", text: "Waits until a window shows this sandbox.", at: now() });
      return;
    }
    for (const log of result.logs ?? []) sayLog(log);
    if (result.status === "error") sayError(result.error);
    else {
      const text = result.result === undefined ? "undefined" : JSON.stringify(result.result);
      say({ kind: "result", text, at: tookText(result.durationMs) });
    }
  }
}

export type SandboxSession = ReturnType<typeof createSandboxSession>;
