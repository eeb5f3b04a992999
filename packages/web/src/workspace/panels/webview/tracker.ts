import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { Control } from "./control.ts";
import { MAX_ICON_LENGTH } from "./limits.ts";

/** What the tracker in a proxied page tells. The page may say the same in its stead: nothing here is believed to be more than what that page says of itself. */
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
/** Pictures as data only: the page's policy loads nothing from elsewhere. In an <img> none of them runs anything. */
const ICON = /^data:image\/(png|gif|jpeg|webp|svg\+xml|x-icon|vnd\.microsoft\.icon)[;,]/;

type Loose = { [key: string]: unknown };

export function readTracker(data: unknown): TrackerEvent | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const said = data as Loose;
  if (said.backplane !== MARK) return undefined;
  const hasUserActivation = said.hasUserActivation === true;
  switch (said.event) {
    case "page": {
      const url = addressIn(said.url);
      if (url === undefined) return undefined;
      return { event: "page", url, title: titleIn(said.title), scroll: scrollIn(said), hasUserActivation };
    }
    case "title":
      return { event: "title", title: titleIn(said.title) ?? "" };
    case "scroll":
      return { event: "scroll", scroll: scrollIn(said) };
    case "leaving":
      return { event: "leaving", url: addressIn(said.url), hasUserActivation };
    case "icon":
      return { event: "icon", icon: iconIn(said.icon) };
    case "failed":
      return {
        event: "failed",
        url: addressIn(said.url),
        title: titleIn(said.title),
        detail: wordsIn(said.detail, MAX_WORDS),
        reason: wordsIn(said.reason, MAX_REASON),
      };
    default:
      return undefined;
  }
}

/** The one command of the tracker that is used: back and forward have a list of their own (`visited`). */
export const RELOAD = { backplane: MARK, do: "reload" } as const;

/** Whether an origin is that of a proxied site. A sandbox (`s-…`) of the same workspace is not one. */
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

const iconIn = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= MAX_ICON_LENGTH && ICON.test(value) ? value : undefined;

const ONE_SECOND_MS = 1_000;
/** A page that scrolls says so once a frame; no honest one says much more. */
export const MAX_MESSAGES_PER_SECOND = 120;

type Options = {
  now?: () => number;
  setTimer?: (run: () => void, afterMs: number) => () => void;
};

const realTimer = (run: () => void, afterMs: number): (() => void) => {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
};

/**
 * Lets so many messages a second through. Of what comes faster only the last of each kind is heard, when the second is
 * over: a page that floods its panel would otherwise keep the whole workspace busy with drawing it.
 */
export function createIntake({ now = () => performance.now(), setTimer = realTimer }: Options = {}) {
  const late = new Map<string, () => void>();
  let sinceMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  let cancel: (() => void) | undefined;

  function catchUp(): void {
    cancel = undefined;
    const due = [...late.values()];
    late.clear();
    sinceMs = now();
    count = due.length;
    for (const hear of due) hear();
  }

  return {
    take(kind: string, hear: () => void): void {
      const nowMs = now();
      if (!cancel && nowMs - sinceMs >= ONE_SECOND_MS) {
        sinceMs = nowMs;
        count = 0;
      }
      if (!cancel && count < MAX_MESSAGES_PER_SECOND) {
        count += 1;
        hear();
        return;
      }
      late.delete(kind);
      late.set(kind, hear);
      cancel ??= setTimer(catchUp, ONE_SECOND_MS - (nowMs - sinceMs));
    },
    close(): void {
      cancel?.();
      late.clear();
    },
  };
}

const MAX_SITES = 200;
/** The host of a frame whose page said that it was somewhere else. */
const NOBODY = "";

/**
 * Which site each host of a frame stands for, by the server's word. A page may say anything of itself, and an address bar
 * that repeats it would vouch for it.
 */
export function createKnownSites(pass: Control["pass"]) {
  const sites = new Map<string, string>();

  function learn(src: string, url: string): void {
    sites.set(new URL(src).origin, new URL(url).origin);
    const [oldest] = sites.keys();
    if (sites.size > MAX_SITES && oldest !== undefined) sites.delete(oldest);
  }

  return {
    /** The frame that begins at `src` shows the site of `url`. */
    learn,
    /** Undefined `url`: a message that names no place. */
    judge(origin: string, url: string | undefined): "true" | "false" | "unknown" {
      const site = sites.get(origin);
      if (site === undefined) return "unknown";
      return site !== NOBODY && (url === undefined || new URL(url).origin === site) ? "true" : "false";
    },
    /** Asks the server for the host of an address; resolves when it has answered, or cannot. */
    async find(origin: string, url: string): Promise<void> {
      const passed = await pass(url);
      if (!passed.ok) return;
      learn(passed.src, url);
      if (!sites.has(origin)) sites.set(origin, NOBODY);
    },
  };
}
