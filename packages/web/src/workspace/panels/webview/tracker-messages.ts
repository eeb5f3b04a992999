import { PANELS_LIMITS } from "@backplane/contract/panels";
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
