import { MAX_VISITED } from "./limits.ts";

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
