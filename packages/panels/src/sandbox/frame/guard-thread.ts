import type { FramePort, FrameWindow, Natives } from "./natives.ts";

type Channel = { port1: FramePort; port2: FramePort };

/**
 * In a browser that gives this frame no process of its own, code that does not end would stop the page and every other
 * frame. There the page has put a call of `guard` into every loop and function of the code: it throws once the code has
 * kept the thread for too long, and goes on throwing until the thread was free.
 */
export function createThreadGuard(frame: FrameWindow, natives: Natives, name: string) {
  const CHECK_EVERY = 16;
  const { Error: NativeError, MessageChannel } = frame as unknown as {
    Error: ErrorConstructor;
    MessageChannel: new () => Channel;
  };
  let maxMs: number | undefined;
  let since: number | undefined;
  let calls = 0;
  let isOver = false;
  let askForTurn = () => {};

  const now = (): number => natives.now(natives.performance);
  function free(): void {
    since = undefined;
    isOver = false;
  }

  function guard(): void {
    calls += 1;
    if (since === undefined) {
      since = now();
      askForTurn();
    } else if (isOver || (calls % CHECK_EVERY === 0 && now() - since > (maxMs as number))) {
      isOver = true;
      throw new NativeError(
        `Stopped after ${(maxMs as number) / 1_000} s: the code did not finish. In this browser nothing else can run ` +
          "meanwhile: let the code wait now and then.",
      );
    }
  }

  /** Before the first foreign code, which could change what this uses. */
  function install(): void {
    natives.defineProperty(frame, name, { value: guard });
    // Not a timer: those are late in pages that are not seen.
    const { port1, port2 } = new MessageChannel();
    const postMessage = natives.uncurry(port2.postMessage as (this: FramePort, message: unknown) => void);
    port1.addEventListener("message", free);
    port1.start();
    askForTurn = () => postMessage(port2, null);
  }
  return {
    /** Code begins that may keep the thread for this time; null: for any. */
    begin(allowedMs: number | null): void {
      if (allowedMs === null) return;
      if (maxMs === undefined) install();
      maxMs = allowedMs;
      free();
    },
  };
}
