import { Problem } from "@backplane/kit/problems";

/** What could end a line, turn the text around it or hide: controls, halves of characters, line ends, bidi, zero width. */
const DECEIVING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD]/u;

/** The name a program gives itself, fit to be shown; else 422. */
export function readAppName(given: string | undefined): string | null {
  if (given === undefined) return null;
  const name = given.trim();
  if (name === "") throw refused("is blank");
  if (DECEIVING.test(name)) throw refused("holds control or invisible characters");
  return name;
}

const refused = (message: string): Problem =>
  new Problem("invalid-input", { detail: `/app_name ${message}.`, errors: [{ pointer: "/app_name", message }] });
