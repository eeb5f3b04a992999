import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Wire } from "./adapter.ts";

const { sourceAnswerMs, maxTransactions } = DEVICES_LIMITS;

type Asking<Answer> = {
  bytes: Uint8Array;
  isAnswer(answer: Answer): boolean;
  settle(answer: Answer | undefined): void;
};

export type Transactions<Answer> = {
  /**
   * Sends when everything before it is answered. Undefined: there was no answer, or the connection ended. `isUrgent`: it
   * is the next one. `isAnswer`: for devices that also say things that nobody asked for.
   */
  ask(
    bytes: Uint8Array,
    options?: { isUrgent?: boolean; isAnswer?: (answer: Answer) => boolean },
  ): Promise<Answer | undefined>;
  /** False: it answers nothing. */
  take(answer: Answer): boolean;
  close(): void;
};

/**
 * One question at a time. A question without an answer ends the connection: on one that goes on, a late answer would be
 * taken for the answer to the next question.
 */
export function createTransactions<Answer>(
  wire: Pick<Wire, "send" | "fail">,
  { answerMs = sourceAnswerMs }: { answerMs?: number } = {},
): Transactions<Answer> {
  const queue: Asking<Answer>[] = [];
  let asked: Asking<Answer> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function next(): void {
    asked = queue.shift();
    if (!asked) return;
    timer = setTimeout(() => wire.fail(`It did not answer within ${answerMs / 1_000} s.`), answerMs);
    wire.send(asked.bytes);
  }

  return {
    ask(bytes, { isUrgent = false, isAnswer = () => true } = {}) {
      if (isClosed || queue.length >= maxTransactions) return Promise.resolve(undefined);
      return new Promise((settle) => {
        const asking = { bytes, isAnswer, settle };
        if (isUrgent) queue.unshift(asking);
        else queue.push(asking);
        if (!asked) next();
      });
    },
    take(answer) {
      if (!asked?.isAnswer(answer)) return false;
      const { settle } = asked;
      clearTimeout(timer);
      settle(answer);
      next();
      return true;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const { settle } of [...(asked ? [asked] : []), ...queue.splice(0)]) settle(undefined);
      asked = undefined;
    },
  };
}
