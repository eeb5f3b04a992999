import { checkPath } from "../files/file-path.ts";

/** `20260728-143108`, in UTC: names sort by time on every machine. */
const stampOf = (nowMs: number): string =>
  new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");

export type Named = { name: string | undefined; kind: string; nowMs: number; width: number; height: number };

/** Why a name would be none that every system takes. */
export function faultOfName(name: string): string | undefined {
  const [first = ""] = fileNames({ name, kind: "", nowMs: 0, width: 1, height: 1 }, 1);
  const checked = checkPath(first);
  return checked.ok ? undefined : checked.why;
}

/** Names to try in turn: `yaw-1240x986.png`, `yaw-2-1240x986.png`, … */
export function* fileNames({ name, kind, nowMs, width, height }: Named, atMost: number): Generator<string> {
  const stem = name === undefined ? `${kind}-${stampOf(nowMs)}` : withoutEnding(name);
  for (let count = 1; count <= atMost; count += 1) {
    yield `${stem}${count === 1 ? "" : `-${count}`}-${width}x${height}.png`;
  }
}

/** Some write the ending although it is added; a name that ends in a dot or a space cannot be kept everywhere. */
const withoutEnding = (name: string): string => name.replace(/\.png$/i, "").replace(/[. ]+$/, "") || "screenshot";

export const SAVED_NAME_PATTERN = "^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,140}\\.png$";
