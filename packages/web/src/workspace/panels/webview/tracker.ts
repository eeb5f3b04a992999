import { PANELS_LIMITS } from "@backplane/contract/panels";
import { BoundedMap } from "@backplane/kit/bounded-map";
import { browserTimer, type SetTimer } from "../../live/environment.ts";
import type { Pass } from "./control.ts";
import { safeIcon } from "./site-icon.ts";

/** What the tracker in a proxied page reports. The page itself can send the same, so it is only the page's own word. */
export type TrackerEvent =
  | { event: "page"; url: string; title: string | undefined; scroll: Scroll; hasUserActivation: boolean }
  | { event: "title"; title: string }
  | { event: "scroll"; scroll: Scroll }
  | { event: "leaving"; url: string | undefined; hasUserActivation: boolean }
  | { event: "icon"; icon: string | undefined }
  | {
      event: "failed";
      url: string | undefined;
      title: string | undefined;
      detail: string | undefined;
      reason: string | undefined;
    };

export type Scroll = { x: number; y: number; height: number };

const MARK = "webview";
const MAX_WORDS = 300;
const MAX_REASON = 40;

type Loose = { [key: string]: unknown };

export function readTracker(data: unknown): TrackerEvent | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const message = data as Loose;
  if (message.backplane !== MARK) return undefined;
  const hasUserActivation = message.hasUserActivation === true;
  switch (message.event) {
    case "page": {
      const url = addressIn(message.url);
      if (url === undefined) return undefined;
      return { event: "page", url, title: titleIn(message.title), scroll: scrollIn(message), hasUserActivation };
    }
    case "title":
      return { event: "title", title: titleIn(message.title) ?? "" };
    case "scroll":
      return { event: "scroll", scroll: scrollIn(message) };
    case "leaving":
      return { event: "leaving", url: addressIn(message.url), hasUserActivation };
    case "icon":
      return { event: "icon", icon: safeIcon(message.icon) };
    case "failed":
      return {
        event: "failed",
        url: addressIn(message.url),
        title: titleIn(message.title),
        detail: wordsIn(message.detail, MAX_WORDS),
        reason: wordsIn(message.reason, MAX_REASON),
      };
    default:
      return undefined;
  }
}

/** The only command for the tracker: back and forward use the list of visited pages. */
export const RELOAD = { backplane: MARK, do: "reload" } as const;

/** Whether an origin belongs to a proxied site (`w-…`), and not to a sandbox (`s-…`). */
export function isSiteOrigin(origin: string, framesUrl: string): boolean {
  const [start = "", end = ""] = framesUrl.split("*");
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false;
  return /^w-[a-z0-9-]{1,61}$/.test(origin.slice(start.length, origin.length - end.length));
}

function addressIn(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > PANELS_LIMITS.maxUrlLength || !/^https?:\/\//i.test(value))
    return undefined;
  return URL.canParse(value) ? new URL(value).href : undefined;
}

function wordsIn(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value
    .slice(0, 2 * maxLength)
    .replace(/\s+/g, " ")
    .trim();
  return text === "" ? undefined : text.slice(0, maxLength);
}

const titleIn = (value: unknown) => wordsIn(value, PANELS_LIMITS.maxTitleLength);

const lengthIn = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) ? Math.round(value) : 0;

const scrollIn = ({ x, y, height }: Loose): Scroll => ({ x: lengthIn(x), y: lengthIn(y), height: lengthIn(height) });

/** An honest page reports scrolling once per frame, and hardly more. */
export const MAX_MESSAGES_PER_SECOND = 120;
const ONE_SECOND_MS = 1_000;

type Clock = { now?: () => number; setTimer?: SetTimer };

/**
 * Limits messages per second. When there are more, only the last of each kind is delivered, at the end of the second: a
 * page that floods its panel would otherwise keep the whole workspace busy drawing.
 */
export function createThrottle({ now = () => performance.now(), setTimer = browserTimer }: Clock = {}) {
  const late = new Map<string, () => void>();
  let sinceMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  let cancel: (() => void) | undefined;

  function deliverLate(): void {
    cancel = undefined;
    const due = [...late.values()];
    late.clear();
    sinceMs = now();
    count = due.length;
    for (const deliver of due) deliver();
  }

  return {
    take(kind: string, deliver: () => void): void {
      const nowMs = now();
      if (!cancel && nowMs - sinceMs >= ONE_SECOND_MS) {
        sinceMs = nowMs;
        count = 0;
      }
      if (!cancel && count < MAX_MESSAGES_PER_SECOND) {
        count += 1;
        deliver();
        return;
      }
      late.delete(kind);
      late.set(kind, deliver);
      cancel ??= setTimer(deliverLate, ONE_SECOND_MS - (nowMs - sinceMs));
    },
    close(): void {
      cancel?.();
      late.clear();
    },
  };
}

const MAX_SITES = 200;
/** Marks a frame whose page claimed to be somewhere else. */
const NO_SITE = "";

/**
 * Which site each frame host shows, according to the server. A page can claim anything about itself, and the address bar
 * must not repeat a lie.
 */
export function createKnownSites(pass: (url: string) => Promise<Pass>) {
  const sites = new BoundedMap<string, string>({ maxEntries: MAX_SITES });
  const learn = (src: string, url: string): void => void sites.set(new URL(src).origin, new URL(url).origin);

  return {
    /** The frame that starts at `src` shows the site of `url`. */
    learn,
    /** Whether a frame host may report this address; `url` is undefined for messages without one. */
    check(origin: string, url: string | undefined): "match" | "mismatch" | "unknown" {
      const site = sites.get(origin);
      if (site === undefined) return "unknown";
      return site !== NO_SITE && (url === undefined || new URL(url).origin === site) ? "match" : "mismatch";
    },
    /** Asks the server which frame host shows this address. */
    async ask(origin: string, url: string): Promise<void> {
      const passed = await pass(url);
      if (!passed.ok) return;
      learn(passed.src, url);
      if (sites.get(origin) === undefined) sites.set(origin, NO_SITE);
    },
  };
}

/** Messages held back while the server is asked which site a frame host shows. */
const MAX_HELD_MESSAGES = 32;

type TrackerOptions = {
  framesUrl: string;
  pass: (url: string) => Promise<Pass>;
  /** The window of the frame; null when there is none, or its page is not proxied. */
  frameWindow: () => Window | null;
  /** The address that the panel shows. */
  address: () => string | undefined;
  onEvent: (event: TrackerEvent) => void;
};

/** Receives what the tracker of the frame's page reports, if the frame's host may report it. */
export function listenToTracker({ framesUrl, pass, frameWindow, address, onEvent }: TrackerOptions) {
  const throttle = createThrottle();
  const sites = createKnownSites(pass);
  let trackerOrigin: string | undefined;
  let held: { origin: string; events: TrackerEvent[] } | undefined;

  function onMessage({ source, origin, data }: MessageEvent): void {
    const own = frameWindow();
    if (own === null || !isSiteOrigin(origin, framesUrl)) return;
    const event = readTracker(data);
    if (!event) return;
    if (source === own) throttle.take(event.event, () => source === frameWindow() && verify(origin, event));
    // The last message of a page in another process arrives without a window: the page is already gone.
    else if (source === null && event.event === "leaving" && origin === trackerOrigin && event.url === address()) {
      onEvent(event);
    }
  }

  function verify(origin: string, event: TrackerEvent): void {
    const url = "url" in event ? event.url : undefined;
    const site = sites.check(origin, url);
    // Without a pass the proxy does not know which page failed.
    if (site === "match" || (site === "unknown" && event.event === "failed" && url === undefined)) {
      trackerOrigin = origin;
      onEvent(event);
    } else if (site === "unknown") void hold(origin, event, url);
  }

  async function hold(origin: string, event: TrackerEvent, url: string | undefined): Promise<void> {
    if (held?.origin === origin) {
      if (held.events.length < MAX_HELD_MESSAGES) held.events.push(event);
      return;
    }
    if (url === undefined) return;
    const own = { origin, events: [event] };
    held = own;
    await sites.ask(origin, url);
    if (held !== own) return;
    held = undefined;
    for (const each of own.events) {
      if (sites.check(origin, "url" in each ? each.url : undefined) === "match") verify(origin, each);
    }
  }

  window.addEventListener("message", onMessage);
  return {
    learn: sites.learn,
    /** The origin of the tracker that reported last; undefined before it does. */
    origin: () => trackerOrigin,
    /** Another page is loaded. */
    forgetOrigin() {
      trackerOrigin = undefined;
    },
    close() {
      held = undefined;
      throttle.close();
      window.removeEventListener("message", onMessage);
    },
  };
}
