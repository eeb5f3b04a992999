import { createHash } from "node:crypto";
import { SCRIPT, STYLE } from "./assets.ts";

const hashOf = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

const STYLE_HASH = hashOf(STYLE);
const SCRIPT_HASH = hashOf(SCRIPT);

export type PastePolicy = {
  /** Origins whose pages may frame it, besides its own. */
  frameAncestors: readonly string[];
  /** The viewer's own origins, spelled out: in a sandboxed frame the page has none that `'self'` could mean everywhere. */
  connect: readonly string[];
};

/** Its own style and script by hash, images that it fetched itself, calls to the viewer, and nothing else. */
export const pastePolicy = ({ frameAncestors, connect }: PastePolicy): string =>
  `default-src 'none'; style-src ${STYLE_HASH}; script-src ${SCRIPT_HASH}; connect-src ${["'self'", ...connect].join(" ")}; ` +
  `img-src blob: data:; frame-ancestors ${["'self'", ...frameAncestors].join(" ")}; base-uri 'none'; form-action 'none'`;
