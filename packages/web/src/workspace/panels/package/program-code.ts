import { type JsonData, type Order, PANEL_PACKAGE_LIMITS, type PageToPackage } from "@backplane/contract/panels";
import { OrderRefused, type PanelContext } from "../../panel.ts";
import { createCodeFrame } from "../sandbox/code-frame.ts";
import { answerOf, endingOf, readFrameMessage } from "../sandbox/frame-calls.ts";
import { newWindowName } from "../sandbox/open-frame.ts";

type Options = {
  context: Pick<PanelContext, "announce">;
  post(message: PageToPackage): void;
  generation: number;
};

const CLOSED = "The panel was reset or closed before the code ended.";
const MS_PER_RUN = 1_000 / PANEL_PACKAGE_LIMITS.evalsPerSecond;

/** Code of programs in the frame of a panel that wants it. Nothing of it runs again in a later frame: it may write files. */
export function createProgramCode({ context, post, generation }: Options) {
  const windowName = newWindowName(Math.random);
  const code = createCodeFrame({
    port: { postMessage: (order) => post({ type: "eval", order }) },
    where: "panel",
    // What waits at the server can run now.
    onCondition: (condition) => void (condition === "ready" && context.announce()),
    onLog: () => {},
  });
  let hasBegun = false;
  let runs = 0;
  let nextAtMs = 0;

  /** Each run is at least two messages of the frame, whose rate is limited. */
  async function takeTurn(): Promise<void> {
    const nowMs = performance.now();
    nextAtMs = Math.max(nowMs, nextAtMs + MS_PER_RUN);
    if (nextAtMs > nowMs) await new Promise((resolve) => setTimeout(resolve, nextAtMs - nowMs));
  }

  return {
    condition: code.condition,
    /** The panel has connected itself: what it sets up is there. */
    begin(): void {
      if (!hasBegun) code.receive({ type: "ready" });
      hasBegun = true;
    },
    receive(messages: readonly unknown[]): void {
      for (const each of messages.slice(0, PANEL_PACKAGE_LIMITS.maxEvalMessages)) {
        const message = readFrameMessage(each);
        if (message && message.type !== "ready") code.receive(message);
      }
    },
    async run(order: Extract<Order, { kind: "eval" }>, untilMs: number): Promise<JsonData> {
      await takeTurn();
      const outcome = await code.run(order.code, order.isPrepared, order.timeoutMs, untilMs);
      const ended = endingOf(outcome);
      if (ended === undefined) return answerOf(outcome);
      runs += 1;
      return { ...answerOf(outcome), ran: { id: `${windowName}-${runs}`, generation, ended } };
    },
    end: code.end,
    close: () => code.close(CLOSED),
  };
}

export const noCode = (): OrderRefused => new OrderRefused("unsupported", "This panel does not run code of programs.");
