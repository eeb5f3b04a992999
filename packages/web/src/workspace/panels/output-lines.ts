// Output of code, as the consoles of the sandbox and the script runner show it.
import { type RefObject, useEffect, useRef } from "react";

type Line = { readonly key: number; readonly text: string };
type Limits = { maxLines: number; maxLength: number };

/** Adds lines at the end, each with a key of its own. The oldest lines go first, and long texts are cut. */
export function appendLines<Added extends { text: string }>(
  lines: readonly (Added & Line)[],
  added: readonly Added[],
  { maxLines, maxLength }: Limits,
): readonly (Added & Line)[] {
  const firstKey = (lines.at(-1)?.key ?? 0) + 1;
  const more = added.map((line, at) => ({ ...line, key: firstKey + at, text: cut(line.text, maxLength) }));
  return [...lines, ...more].slice(-maxLines);
}

const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

/** 1.9 ms, 240 ms, 3.2 s, 4 min 10 s */
export function durationWords(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

/** How close to its end a list still follows it. */
const NEAR_END_PX = 40;

/** Keeps a list scrolled to its end while lines are added, until somebody scrolls up. */
export function useFollowEnd(list: RefObject<HTMLElement | null>, lines: readonly Line[]): { onScroll: () => void } {
  const isFollowing = useRef(true);
  const lastTop = useRef(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: with every line
  useEffect(() => {
    if (isFollowing.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [lines, list]);

  return {
    onScroll() {
      if (!list.current) return;
      const { scrollTop, scrollHeight, clientHeight } = list.current;
      // New lines push the end away without anybody scrolling: only a scroll upwards stops following.
      if (scrollTop < lastTop.current) isFollowing.current = false;
      if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) isFollowing.current = true;
      lastTop.current = scrollTop;
    },
  };
}
