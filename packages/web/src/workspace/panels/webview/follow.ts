import type { JsonObject } from "@backplane/contract/panels";
import { ECHO_LIFE_MS, MAX_ECHOES, MAX_VISITED } from "./limits.ts";

/** What the frame should show according to the tab's state. */
export type Wanted = { url: string; visit: number; isProxied: boolean; popups: boolean; downloads: boolean };

/** Undefined unless the state has the address of a page. */
export function wantedOf({ url, visit, proxyEnabled, popups, downloads }: JsonObject): Wanted | undefined {
  if (typeof url !== "string" || !/^https?:/i.test(url) || !URL.canParse(url)) return undefined;
  return {
    ...{ url: new URL(url).href, visit: typeof visit === "number" ? visit : 0, isProxied: proxyEnabled === true },
    ...{ popups: popups === true, downloads: downloads === true },
  };
}

/** What a frame is made with: a change of it needs another frame. */
const isOtherFrame = (one: Wanted, other: Wanted): boolean =>
  one.isProxied !== other.isProxied || one.popups !== other.popups || one.downloads !== other.downloads;

/**
 * How a frame and the tab's state follow each other without endless echoes. Every browser loads what the state says. When
 * a page goes somewhere by itself, one browser reports it: the one in which somebody clicked, otherwise the primary one.
 * In the other browsers the page makes the same move by itself.
 */
export type Follow = {
  /** The last state that was acted on. */
  wanted: Wanted | undefined;
  /** The address in the frame, if it is known. */
  shown: string | undefined;
  /** The next page is the one that was requested here. */
  awaitsOwn: boolean;
  /** The page was left because somebody clicked in it. */
  wasLeftByUser: boolean;
  /** Reported to the server, but not yet in the state. */
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
  /** `load` what `next.wanted` says, `clear` the frame, or `report` what `next.shown` says. */
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
      // Leaving for a requested page is not a click, even if somebody clicked a moment ago.
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
  if (before === undefined || isOtherFrame(wanted, before) || wanted.visit > before.visit) return load(wanted);
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
 * The pages this web view has shown. The browser's own history belongs to the whole browser tab: going back in it could
 * move another panel, or leave the workspace.
 */
export type Visited = { readonly urls: readonly string[]; readonly index: number };

export const NOWHERE: Visited = { urls: [], index: -1 };

/** A page was loaded. If it is the page one step back or forward as asked for, that is where we are now. */
export function arrive({ urls, index }: Visited, url: string, asked: -1 | 0 | 1): Visited {
  if (urls[index] === url) return { urls, index };
  if (asked !== 0 && urls[index + asked] === url) return { urls, index: index + asked };
  const kept = [...urls.slice(0, index + 1), url].slice(-MAX_VISITED);
  return { urls: kept, index: kept.length - 1 };
}

/** A page that redirects is not a page to go back to: it would redirect again. */
export function redirected({ urls, index }: Visited, from: string, to: string): Visited {
  if (urls[index] !== from) return arrive({ urls, index }, to, 0);
  return { urls: urls.with(index, to), index };
}

export const before = ({ urls, index }: Visited): string | undefined => (index > 0 ? urls[index - 1] : undefined);
export const after = ({ urls, index }: Visited): string | undefined => urls[index + 1];
