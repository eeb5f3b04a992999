import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Wire } from "./adapter.ts";
import type { Codec } from "./codec.ts";

const { sourceAnswerMs, maxTransactions } = DEVICES_LIMITS;

type Asking<Answer> = { bytes: Uint8Array; who: string; settle(answer: Answer | undefined): void };

/**
 * One question at a time. A question without an answer ends the connection: on one that goes on, a late answer would be
 * taken for the answer to the next question.
 */
function createTransactions<Answer>(wire: Pick<Wire, "send" | "fail">) {
  const queue: Asking<Answer>[] = [];
  let asked: Asking<Answer> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function next(): void {
    asked = queue.shift();
    if (!asked) return;
    const why = `${asked.who} did not answer within ${sourceAnswerMs / 1_000} s.`;
    timer = setTimeout(() => wire.fail(why), sourceAnswerMs);
    wire.send(asked.bytes);
  }

  return {
    ask(bytes: Uint8Array, who: string, isUrgent: boolean): Promise<Answer | undefined> {
      if (isClosed || queue.length >= maxTransactions) return Promise.resolve(undefined);
      return new Promise((settle) => {
        if (isUrgent) queue.unshift({ bytes, who, settle });
        else queue.push({ bytes, who, settle });
        if (!asked) next();
      });
    },
    /** What nobody asked for is left out. */
    take(answer: Answer): void {
      if (!asked) return;
      const { settle } = asked;
      clearTimeout(timer);
      settle(answer);
      next();
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      for (const { settle } of [...(asked ? [asked] : []), ...queue.splice(0)]) settle(undefined);
      asked = undefined;
    },
  };
}

/** Questions and answers over one connection, by the codecs of a protocol. */
export type Conversation<Question, Answer> = {
  /** Undefined: there was no answer, or the connection ended. `isUrgent`: it is the next one. */
  ask(question: Question, isUrgent?: boolean): Promise<Answer | undefined>;
  /** Sent at once, ahead of what is asked; for what is not answered. */
  tell(...messages: Question[]): void;
  take(bytes: Buffer): void;
  /** Aborted by `close`. */
  readonly signal: AbortSignal;
  close(): void;
};

type Hearing<Question, Answer> = {
  /** Of several devices on one line, the one that a question is for. */
  who?: (question: Question) => string;
  /** Takes what a device says by itself; false: it is an answer. */
  isNews?: (heard: Answer) => boolean;
};

export function createConversation<Question, Answer>(
  wire: Pick<Wire, "send" | "fail">,
  write: Codec<Question>["write"],
  answers: Codec<Answer>,
  { who = () => "It", isNews = () => false }: Hearing<Question, Answer> = {},
): Conversation<Question, Answer> {
  const transactions = createTransactions<Answer>(wire);
  const reader = answers.createReader();
  const closing = new AbortController();
  return {
    ask: (question, isUrgent = false) => transactions.ask(write(question), who(question), isUrgent),
    tell: (...messages) => wire.send(Buffer.concat(messages.map(write))),
    take(bytes) {
      for (const heard of reader.take(bytes)) if (!isNews(heard)) transactions.take(heard);
    },
    signal: closing.signal,
    close() {
      closing.abort();
      transactions.close();
    },
  };
}
