import type { WebviewFraming } from "@backplane/contract/panels";
import { type FrameFault, framingFault, type LoadEnd } from "./faults.ts";

const MAX_WAIVED = 50;
/** How long an allowed page is not checked again. */
const ALLOWED_LIFE_MS = 60_000;
const ALLOWED: WebviewFraming = { framing: "allowed", reason: null };

type Options = {
  /** Undefined when the server does not know. */
  ask: (url: string) => Promise<WebviewFraming | undefined>;
  onFault: (fault: FrameFault) => void;
  /** There is no reason to ask the user whether the page is blank. */
  onLikelyShown: () => void;
  now: () => number;
};

/** Asks the server about each page without proxy while it loads, because browsers do not report that a frame stayed blank. */
export function createFramingWatch({ ask, onFault, onLikelyShown, now }: Options) {
  /** Sites that are shown whatever the server says. */
  const waived = new Set<string>();
  let allowed: { url: string; untilMs: number } | undefined;
  let watched: { url: string; word?: WebviewFraming | undefined; isPending: boolean; end?: LoadEnd } | undefined;

  function settle(): void {
    if (!watched?.word) return;
    const { word, url, end } = watched;
    if (word.framing === "allowed" && word !== ALLOWED) allowed = { url, untilMs: now() + ALLOWED_LIFE_MS };
    if (isLikelyShown(word)) onLikelyShown();
    const fault = framingFault(word, url, end);
    if (!fault) return;
    watched = undefined;
    onFault(fault);
  }

  return {
    begin(url: string): void {
      const mine: NonNullable<typeof watched> = { url, isPending: false };
      watched = mine;
      const isKnown = allowed?.url === url && now() < allowed.untilMs;
      if (isKnown) mine.word = ALLOWED;
      if (isKnown || waived.has(new URL(url).origin)) return;
      mine.isPending = true;
      void ask(url).then((word) => {
        mine.isPending = false;
        mine.word = word;
        if (mine === watched) settle();
      });
    },
    ended(end: LoadEnd): void {
      if (!watched) return;
      watched.end = end;
      settle();
    },
    /** The page is gone: an answer about it is ignored. */
    forget(): void {
      watched = undefined;
    },
    waive(url: string): void {
      if (waived.size >= MAX_WAIVED) waived.clear();
      waived.add(new URL(url).origin);
    },
    isPending: (): boolean => watched?.isPending === true,
    isLikelyShown: (): boolean => watched?.word !== undefined && isLikelyShown(watched.word),
  };
}

/**
 * The server does not check private addresses, and its proxy could not help with them. Most of them are pages of the user's
 * own machine or network, and when one does not answer, the browser itself says so in the frame.
 */
const isLikelyShown = ({ framing, reason }: WebviewFraming): boolean =>
  framing === "allowed" || reason === "private-address";
