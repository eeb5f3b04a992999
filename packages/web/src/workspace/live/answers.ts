import { SOCKET_LIMITS } from "@backplane/contract/panels";

const { maxListed, maxListedAnswer } = SOCKET_LIMITS;

type Options = {
  send(text: string): void;
  /** Whether more answers will follow. */
  isBusy(): boolean;
  nextTurn(callback: () => void): void;
};

/** Sends short answers that are ready at the same time as one message: a message costs a browser more than what is in it. */
export function createAnswers({ send, isBusy, nextTurn }: Options) {
  let held: string[] = [];
  let takesLists = false;

  function flush(): void {
    const all = held;
    held = [];
    if (all.length > 1) send(`[${all.join(",")}]`);
    else if (all[0] !== undefined) send(all[0]);
  }

  return {
    /** To the server of a new connection. Nobody waits for answers of the last one. */
    begin(serverTakesLists: boolean): void {
      held = [];
      takesLists = serverTakesLists;
    },
    send(text: string): void {
      const isAlone = held.length === 0 && !isBusy();
      if (!takesLists || isAlone || text.length > maxListedAnswer) {
        send(text);
        return;
      }
      held.push(text);
      if (held.length === maxListed || !isBusy()) flush();
      else if (held.length === 1) nextTurn(flush);
    },
  };
}
