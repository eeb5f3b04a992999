import type { JsonObject } from "@backplane/contract/panels";
import { ECHO_LIFE_MS, MAX_ECHOES, MAX_VISITED } from "./limits.ts";

/** What the state says the frame shows. */
export type Wanted = { url: string; visit: number; isProxied: boolean };

/** Whatever the state holds: undefined unless it names a page. */
export function wantedOf({ url, visit, proxyEnabled }: JsonObject): Wanted | undefined {
  if (typeof url !== "string" || !/^https?:/i.test(url) || !URL.canParse(url)) return undefined;
  return { url: new URL(url).href, visit: typeof visit === "number" ? visit : 0, isProxied: proxyEnabled === true };
}

/**
 * How a frame and the state follow each other without an echo. The state is the server's: every browser loads what it
 * says. What the page did by itself is told to the server once, by the browser where somebody clicked, or else by the
 * primary one: the others make the same move by themselves.
 */
export type Follow = {
  /** What was acted on last. */
  wanted: Wanted | undefined;
  /** The address in the frame, as far as it is known. */
  shown: string | undefined;
  /** The next page to come is the one that was asked for. */
  awaitsOwn: boolean;
  /** The page is left because somebody clicked in it. */
  wasLeftByUser: boolean;
  /** Told to the server, not yet back. */
  echoes: readonly { url: string; atMs: number }[];
};

export type FollowEvent =
  | { type: "state"; wanted: Wanted | undefined; nowMs: number }
  | { type: "page"; url: string; hasUserActivation: boolean; isPrimary: boolean }
  | { type: "leaving"; hasUserActivation: boolean }
  | { type: "reload" }
  | { type: "reported"; url: string; nowMs: number };

export type FollowStep = {
  next: Follow;
  /** `load` what `next.wanted` says; `clear` the frame; `report` what `next.shown` says. */
  act: "load" | "clear" | "report" | "nothing";
};

export const START: Follow = {
  wanted: undefined,
  shown: undefined,
  awaitsOwn: false,
  wasLeftByUser: false,
  echoes: [],
};

export function follow(now: Follow, event: FollowEvent): FollowStep {
  switch (event.type) {
    case "state":
      return followState(now, event.wanted, event.nowMs);
    case "page":
      return followPage(now, event);
    case "leaving":
      // Leaving for what was asked for is nobody's click, even if somebody clicked a moment ago.
      return nothing(now.awaitsOwn ? now : { ...now, wasLeftByUser: event.hasUserActivation });
    case "reload":
      return nothing({ ...now, awaitsOwn: true, wasLeftByUser: false });
    case "reported":
      return nothing({ ...now, echoes: [...now.echoes, { url: event.url, atMs: event.nowMs }].slice(-MAX_ECHOES) });
  }
}

const nothing = (next: Follow): FollowStep => ({ next, act: "nothing" });

const load = (wanted: Wanted): FollowStep => ({
  next: { wanted, shown: wanted.url, awaitsOwn: true, wasLeftByUser: false, echoes: [] },
  act: "load",
});

function followState(now: Follow, wanted: Wanted | undefined, nowMs: number): FollowStep {
  if (wanted === undefined) return now.wanted ? { next: START, act: "clear" } : nothing(now);
  const before = now.wanted;
  if (before === undefined || wanted.isProxied !== before.isProxied || wanted.visit > before.visit) return load(wanted);
  if (wanted.url === before.url) return nothing({ ...now, wanted });
  const echoes = now.echoes.filter(({ atMs }) => nowMs - atMs < ECHO_LIFE_MS);
  const echo = echoes.findLastIndex(({ url }) => url === wanted.url);
  if (echo !== -1) return nothing({ ...now, wanted, echoes: echoes.slice(echo + 1) });
  return wanted.url === now.shown ? nothing({ ...now, wanted, echoes }) : load(wanted);
}

function followPage(now: Follow, page: { url: string; hasUserActivation: boolean; isPrimary: boolean }): FollowStep {
  const isNews = page.url !== (now.awaitsOwn ? now.wanted?.url : now.shown);
  const byUser = !now.awaitsOwn && (page.hasUserActivation || now.wasLeftByUser);
  const next = { ...now, shown: page.url, awaitsOwn: false, wasLeftByUser: false };
  return { next, act: isNews && (byUser || page.isPrimary) ? "report" : "nothing" };
}

/**
 * Where this web view has been. The browser's own history is one for the whole tab: going back in it may as well move
 * another panel, or leave the workspace.
 */
export type Visited = { readonly urls: readonly string[]; readonly index: number };

export const NOWHERE: Visited = { urls: [], index: -1 };

/** A page came. What was one step away before is taken as that step, so that back and forward stay what they were. */
export function arrive({ urls, index }: Visited, url: string, asked: -1 | 0 | 1): Visited {
  if (urls[index] === url) return { urls, index };
  if (asked !== 0 && urls[index + asked] === url) return { urls, index: index + asked };
  const kept = [...urls.slice(0, index + 1), url].slice(-MAX_VISITED);
  return { urls: kept, index: kept.length - 1 };
}

/** A page that led on by itself is no place to go back to: it would lead on again. */
export function redirected({ urls, index }: Visited, from: string, to: string): Visited {
  if (urls[index] !== from) return arrive({ urls, index }, to, 0);
  return { urls: urls.with(index, to), index };
}

export const before = ({ urls, index }: Visited): string | undefined => (index > 0 ? urls[index - 1] : undefined);
export const after = ({ urls, index }: Visited): string | undefined => urls[index + 1];
