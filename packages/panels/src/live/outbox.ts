import type { BrowserConnection } from "./browser.ts";

/** Characters of one list: a page begins with the first orders while the next ones are on their way. */
const MAX_LIST_CHARACTERS = 65_536;

type Held = { text: string; onFailed: () => void };

/**
 * Orders on their way to one page. A message costs a browser much more than what is in it, so what is sent in the same turn
 * of the event loop goes out together.
 */
export function createOutbox(maxListed: number) {
  let held: Held[] = [];
  let characters = 0;

  function flush(connection: BrowserConnection): void {
    const all = held;
    held = [];
    characters = 0;
    const [first] = all;
    if (!first) return;
    const text = all.length === 1 ? first.text : `[${all.map((each) => each.text).join(",")}]`;
    if (connection.send(text)) return;
    for (const { onFailed } of all) onFailed();
  }

  return {
    /** False: the page is gone. What is held and cannot be sent calls `onFailed`. */
    send(connection: BrowserConnection, text: string, { mayWait = false, onFailed = () => {} } = {}): boolean {
      // Behind what is held, so that the order of messages stays.
      if (!mayWait && held.length === 0) return connection.send(text);
      held.push({ text, onFailed });
      characters += text.length;
      if (characters > MAX_LIST_CHARACTERS || held.length === maxListed) flush(connection);
      else if (held.length === 1) setImmediate(flush, connection);
      return true;
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;
