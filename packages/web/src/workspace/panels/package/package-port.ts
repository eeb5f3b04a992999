import { PANEL_PACKAGE_LIMITS, type PackageToPage, type PageToPackage } from "@backplane/contract/panels";
import { browserTimer, type SetTimer } from "../../live/environment.ts";

/** The part of a `MessagePort` that is used. */
type PackageEnd = { postMessage(text: string): void };

type Options = {
  port: PackageEnd;
  onMessage(message: Exclude<PackageToPage, { type: "pong" }>): void;
  /** It does not answer, or answers again. */
  onSilent(isSilent: boolean): void;
  /** It was behind, and something was left out meanwhile. */
  onCaughtUp(): void;
  /** It sends more than a page can take: it must be stopped. */
  onFlood(): void;
  /** A message was refused, in words for whoever writes the panel. */
  onRefused(words: string): void;
  setTimer?: SetTimer;
  now?: () => number;
};

const { messagesPerSecond, maxExcessMessages, maxMessageLength, heartbeatMs, missedHeartbeats } = PANEL_PACKAGE_LIMITS;
const ONE_SECOND_MS = 1_000;
const TOO_FAST = `More than ${messagesPerSecond} messages per second.`;

/** The page's end of the port to a panel: what is too much, too large or not in the protocol is dropped here. */
export function createPackagePort(options: Options) {
  const {
    port,
    onMessage,
    onSilent,
    onCaughtUp,
    onFlood,
    onRefused,
    setTimer = browserTimer,
    now = () => performance.now(),
  } = options;
  let second = { atMs: now(), count: 0 };
  let excess = 0;
  let [lastPing, lastPong, isSilent, isClosed] = [0, 0, false, false];
  let isMissing = false;
  let cancel = () => {};
  const isBehind = () => lastPing - lastPong >= 2;

  const post = (message: PageToPackage): void => {
    if (!isClosed) port.postMessage(JSON.stringify(message));
  };
  function beat(): void {
    const missed = lastPing - lastPong;
    if (missed >= missedHeartbeats && !isSilent) {
      isSilent = true;
      onSilent(true);
    }
    // One that waits is enough: a panel that is busy does not get more to do.
    if (missed < missedHeartbeats) {
      lastPing += 1;
      post({ type: "ping", id: lastPing });
    }
    cancel = setTimer(beat, heartbeatMs);
  }
  cancel = setTimer(beat, heartbeatMs);

  function hear(id: number): void {
    lastPong = Math.max(lastPong, Math.min(id, lastPing));
    if (isMissing && !isBehind()) {
      isMissing = false;
      onCaughtUp();
    }
    if (!isSilent || lastPong < lastPing) return;
    isSilent = false;
    onSilent(false);
  }

  function close(): void {
    isClosed = true;
    cancel();
  }

  return {
    post,
    /** For what may be left out: nothing while the panel is behind. False: it was left out, until `onCaughtUp`. */
    postUnlessBehind(message: PageToPackage): boolean {
      isMissing ||= isBehind();
      if (!isBehind()) post(message);
      return !isBehind();
    },
    receive(data: unknown): void {
      if (isClosed) return;
      if (now() - second.atMs >= ONE_SECOND_MS) {
        // Not by the second alone: a page that cannot keep up hears fewer in each, and must notice all the same.
        if (second.count <= messagesPerSecond) excess = 0;
        second = { atMs: now(), count: 0 };
      }
      second.count += 1;
      if (second.count > messagesPerSecond) excess += 1;
      if (excess > maxExcessMessages) {
        close();
        onFlood();
        return;
      }
      // Only the first is said: saying each would be a flood, too.
      if (second.count === messagesPerSecond + 1) onRefused(TOO_FAST);
      const read = readMessage(data);
      if (second.count > messagesPerSecond) {
        if ("id" in read && read.type === "call") post({ type: "refused", id: read.id, error: TOO_FAST });
      } else if ("refused" in read) onRefused(read.refused);
      else if (read.type === "pong") hear(read.id);
      else onMessage(read);
    },
    close,
  };
}

export type PackagePort = ReturnType<typeof createPackagePort>;

type Loose = { [key: string]: unknown };

/** The panel is code of anybody: no type is taken for granted. */
function readMessage(data: unknown): PackageToPage | { refused: string } {
  if (typeof data !== "string") return { refused: "A message was not text." };
  if (data.length > maxMessageLength) return { refused: `A message was longer than ${maxMessageLength} characters.` };
  try {
    const message = JSON.parse(data) as Loose | null;
    if (typeof message === "object" && message !== null && isMessage(message)) return message as PackageToPage;
  } catch {
    // Not JSON.
  }
  return { refused: "A message was not understood." };
}

function isMessage({ type, id, text, name, args, error, messages }: Loose): boolean {
  switch (type) {
    case "ready":
      return true;
    case "failed":
      return typeof text === "string";
    case "pong":
    case "result":
      return Number.isSafeInteger(id);
    case "refusal":
      return Number.isSafeInteger(id) && typeof error === "string";
    case "eval":
      return Array.isArray(messages);
    case "call":
      return Number.isSafeInteger(id) && typeof name === "string" && Array.isArray(args);
    default:
      return false;
  }
}
