import type { EvalResult, JsonData, Order, SandboxCondition, SandboxState } from "@backplane/contract/panels";
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

export type SandboxView = {
  readonly condition: SandboxCondition;
  readonly lines: readonly ConsoleLine[];
  readonly isHeaderHidden: boolean;
  readonly drivenBy: string | undefined;
  readonly isResetting: boolean;
};

/** Code that was typed here and is not answered yet. When it comes back as an order it is not shown a second time. */
type TypedCode = { code: string; isOrdered: boolean };

/** A sandbox in this window: its frame, its console, and the orders for both. */
export function createSandboxSession(context: PanelContext, holder: HTMLElement) {
  const { owner, repo } = context.workspace;
  const control = panelControl("sandbox", context);
  const place = { path: `${owner}/${repo}/${context.tabId}`.toLowerCase(), window: newWindowName(Math.random) };
  const typed = new Set<TypedCode>();
  const sandboxState = () => context.state() as SandboxState;
  const store = createStore<SandboxView>({
    condition: "loading",
    lines: [],
    isHeaderHidden: sandboxState().headerHidden === true,
    drivenBy: context.drivenBy(),
    isResetting: false,
  });
  const buffer = createLineBuffer((added) =>
    store.update({ lines: appendLines(store.state().lines, added, CONSOLE_LIMITS) }),
  );

  const open = (generation: number): SandboxFrame =>
    openFrame({
      ...{ holder, generation },
      address: frameAddress(context.framesUrl, { ...place, generation }),
      onLog: (log) => buffer.add(logLine(log)),
      onCondition: (condition) => store.update({ condition }),
    });
  let frame = open(sandboxState().generation ?? 0);

  /** Replaces the frame if this generation is newer. */
  function follow(generation: number): SandboxFrame {
    if (generation <= frame.generation) return frame;
    frame.close();
    store.update({ condition: "loading" });
    frame = open(generation);
    return frame;
  }

  async function run(order: Extract<Order, { kind: "eval" }>, untilMs: number): Promise<JsonData> {
    const { code, isPrepared, timeoutMs } = order;
    const shown = shownCode(code, isPrepared);
    const own = [...typed].find((one) => !one.isOrdered && one.code.startsWith(shown));
    if (own) own.isOrdered = true;
    else buffer.add(inputLine(shown));
    const outcome = await frame.run(code, isPrepared, timeoutMs, untilMs);
    buffer.add(outcomeLine(outcome));
    return answerOf(outcome);
  }

  const stopOrders = context.onOrder(async (order, untilMs) => {
    if (order.kind === "eval") return run(order, untilMs);
    if (order.kind === "sandbox") return frame.condition();
    if (order.kind !== "reset") throw new OrderRefused("unsupported", "A sandbox cannot do this.");
    await follow(order.generation).ready;
    return null;
  });
  const stopState = context.onState(() => {
    const { headerHidden, generation = 0 } = sandboxState();
    follow(generation);
    store.update({ isHeaderHidden: headerHidden === true, drivenBy: context.drivenBy() });
  });

  return {
    view: store.state,
    subscribe: store.subscribe,

    /** Sent the same way as code of programs, so that it runs once, where their code runs. */
    async submit(code: string): Promise<void> {
      const own: TypedCode = { code, isOrdered: false };
      typed.add(own);
      buffer.add(inputLine(code));
      buffer.flush();
      const answer = await control.act<EvalResult>({ action: "eval", code });
      typed.delete(own);
      if (!answer.ok) buffer.add(errorLine(controlFault(answer.fault)));
      else if (!own.isOrdered) buffer.add(...answerLines(answer.value));
    },

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

    rasterise: (background: string) => frame.rasterise(background),

    dispose(): void {
      stopOrders();
      stopState();
      buffer.dispose();
      frame.close();
    },
  };
}

export type SandboxSession = ReturnType<typeof createSandboxSession>;
