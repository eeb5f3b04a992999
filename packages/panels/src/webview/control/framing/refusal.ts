import { allowsAncestor, frameAncestorLists } from "./frame-ancestors.ts";

export type Refusal = "x-frame-options" | "frame-ancestors";
export type FramingHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/** Why a browser does not show an answer of `site` inside a page of `asker`; undefined: it does. */
export function framingRefusal(headers: FramingHeaders, site: URL, asker: URL): Refusal | undefined {
  const lists = frameAncestorLists(all(headers["content-security-policy"]));
  // Where a policy speaks of frames, X-Frame-Options is not looked at (CSP 3, 6.4.2.3).
  if (lists.length > 0) {
    return lists.every((list) => allowsAncestor(list, site, asker)) ? undefined : "frame-ancestors";
  }
  return optionsAllow(all(headers["x-frame-options"]), site, asker) ? undefined : "x-frame-options";
}

const KNOWN: ReadonlySet<string> = new Set(["deny", "sameorigin", "allowall"]);

/** As Chromium reads it: unknown values say nothing, and values that do not agree refuse. */
function optionsAllow(values: readonly string[], site: URL, asker: URL): boolean {
  const said = new Set(
    values
      .flatMap((value) => value.split(","))
      .map((value) => value.trim().toLowerCase())
      .filter((value) => value !== "")
      .map((value) => (KNOWN.has(value) ? value : "unknown")),
  );
  if (said.size > 1) return false;
  return !said.has("deny") && (!said.has("sameorigin") || site.origin === asker.origin);
}

const all = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;
