/** Between two turns of a timer of one second. Honest pages send a few per drawn frame. */
const MAX_MESSAGES = 10_000;
const ONE_SECOND_MS = 1_000;

type Watched = { frame: HTMLIFrameElement; count: number; onFlood(): void };

const watched = new Set<Watched>();

/**
 * Tells when the pages in a frame send this page more messages than it can take: it would have no time for anything else,
 * not even for a click on "Close". Ends when the frame is removed.
 */
export function watchMessages(frame: HTMLIFrameElement, onFlood: () => void): void {
  if (watched.size === 0) window.addEventListener("message", count);
  watched.add({ frame, count: 0, onFlood });
}

function count({ source }: MessageEvent): void {
  const sender = panelWindow(source as Window | null);
  for (const each of watched) {
    if (!each.frame.isConnected) forget(each);
    else if (sender !== null && each.frame.contentWindow === sender) add(each);
  }
}

function add(each: Watched): void {
  // Not by the clock: a page that cannot keep up reaches its timers late, and must notice all the same.
  if (each.count === 0) setTimeout(() => (each.count = 0), ONE_SECOND_MS);
  each.count += 1;
  if (each.count <= MAX_MESSAGES) return;
  forget(each);
  each.onFlood();
}

function forget(each: Watched): void {
  watched.delete(each);
  if (watched.size === 0) window.removeEventListener("message", count);
}

/** The window of the panel's frame that a window is in; null for one that is gone. */
function panelWindow(source: Window | null): Window | null {
  let at = source;
  while (at && at.parent !== window && at.parent !== at) at = at.parent;
  return at;
}
