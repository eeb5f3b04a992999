import { LICENSES } from "@backplane/contract/registry";

/** What somebody most likely meant, by the field; undefined where that cannot be told. */
const FIXES: readonly [field: RegExp, suggest: (value: string) => string][] = [
  [/\/version$/, (value) => value.replace(/^v/i, "").replace(/[-+].*$/, "")],
  [/_version(_max)?$/, (value) => value.replace(/^v/i, "")],
  [/\/license$/, (value) => licenseLike(value)],
  [
    /\/tags\/\d+$/,
    (value) =>
      value
        .trim()
        .toLowerCase()
        .replace(/[\s_]+/g, "-"),
  ],
  [/\/identifier$/, (value) => value.trim().replace(/[\s_]+/g, "-")],
  [/sha256$/, (value) => value.trim().toLowerCase()],
  [/\/(status|type|runtime)$/, (value) => value.trim().toLowerCase()],
  [/\/platforms\/\d+$/, (value) => PLATFORMS[value.trim().toLowerCase()] ?? value],
];

const PLATFORMS: Readonly<Record<string, string>> = {
  win: "windows",
  win32: "windows",
  windows: "windows",
  mac: "macos",
  osx: "macos",
  darwin: "macos",
  macos: "macos",
  linux: "linux",
};

function licenseLike(value: string): string {
  const plain = value.trim().replace(/-(only|or-later)$|\+$/i, "");
  return LICENSES.find((known) => known.toLowerCase() === plain.toLowerCase()) ?? value;
}

/** What is longer was not meant to be any of these; and some of the patterns above take long for long texts. */
const MAX_CHARACTERS = 200;

/** Another value for the field that is likely right; undefined when there is none, or it is the same. */
export function suggestFix(pointer: string, value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_CHARACTERS) return undefined;
  const suggested = FIXES.find(([field]) => field.test(pointer))?.[1](value);
  return suggested === value || suggested === "" ? undefined : suggested;
}
