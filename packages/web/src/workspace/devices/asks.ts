import { type Ack, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { SetTimer } from "../live/environment.ts";

/** The hub answers within `ackMs`, also for devices that do not; a stop may take longer. */
const ANSWER_WITHIN_MS = 5 * DEVICES_LIMITS.ackMs;

type Pending = { answer: (ack: Ack) => void; onAccepted: (() => void) | undefined };

/** Questions to the hub that wait for their answer. Every one gets one. */
export type Asks = {
  ask(id: number, send: () => boolean, onAccepted?: () => void): Promise<Ack>;
  receive(id: number, stage: "accepted" | "reached", ack: Ack): void;
  /** False: nobody waits for it. */
  refuse(id: number, detail: string): boolean;
  /** The connection broke: nobody knows what became of them. */
  refuseAll(): void;
};

const refusal = (code: "no-answer" | "denied", detail: string): Ack => ({ ok: false, code, detail, tookMs: 0 });
const NOT_CONNECTED = "There is no connection to the devices now. It was not sent; try again when it is back.";
const BROKEN = "The connection broke before an answer came. Look at the device before you try again.";
const LATE = "The server did not answer in time. Look at the device before you try again.";

export function createAsks(setTimer: SetTimer): Asks {
  const pending = new Map<number, Pending>();

  return {
    ask(id, send, onAccepted) {
      const { promise, resolve } = Promise.withResolvers<Ack>();
      const answer = (ack: Ack) => {
        pending.delete(id);
        cancel();
        resolve(ack);
      };
      const cancel = setTimer(() => answer(refusal("no-answer", LATE)), ANSWER_WITHIN_MS);
      pending.set(id, { answer, onAccepted });
      if (!send()) answer(refusal("no-answer", NOT_CONNECTED));
      return promise;
    },
    receive(id, stage, ack) {
      const asked = pending.get(id);
      if (stage === "accepted") asked?.onAccepted?.();
      else asked?.answer(ack);
    },
    refuse(id, detail) {
      const asked = pending.get(id);
      asked?.answer(refusal("denied", detail));
      return asked !== undefined;
    },
    refuseAll() {
      for (const { answer } of [...pending.values()]) answer(refusal("no-answer", BROKEN));
    },
  };
}
