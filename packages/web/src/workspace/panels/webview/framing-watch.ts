import type { WebviewFraming } from "@backplane/contract/panels";
import { type FrameFault, framingFault, type LoadEnd } from "./faults.ts";

const MAX_WAIVED = 50;
/** A page that is loaded again and again is not asked for twice each time. */
const ALLOWED_LIFE_MS = 60_000;

type Options = {
  /** Undefined: the server does not say. */
  ask: (url: string) => Promise<WebviewFraming | undefined>;
  onFault: (fault: FrameFault) => void;
  onAllowed: () => void;
  now: () => number;
};

/** Asks the server about each directly shown page, beside its load: no browser tells that a frame stayed blank. */
export function createFramingWatch({ ask, onFault, onAllowed, now }: Options) {
  /** Sites that somebody wants to see whatever the server says. */
  const waived = new Set<string>();
  let allowed: { url: string; untilMs: number } | undefined;
  let watched: { url: string; word?: WebviewFraming | undefined; isPending: boolean; end?: LoadEnd } | undefined;

  function settle(): void {
    if (!watched?.word) return;
    const { word, url, end } = watched;
    if (word.framing === "allowed") {
      allowed = { url, untilMs: now() + ALLOWED_LIFE_MS };
      onAllowed();
    }
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
    /** Another page came, or none is wanted: what the server says was about what is gone. */
    forget(): void {
      watched = undefined;
    },
    waive(url: string): void {
      if (waived.size >= MAX_WAIVED) waived.clear();
      waived.add(new URL(url).origin);
    },
    isPending: (): boolean => watched?.isPending === true,
    isAllowed: (): boolean => watched?.word?.framing === "allowed",
  };
}
