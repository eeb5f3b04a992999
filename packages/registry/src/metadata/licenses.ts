import { LICENSES } from "@backplane/contract/registry";
import deprecated from "spdx-license-ids/deprecated.json" with { type: "json" };
import identifiers from "spdx-license-ids/index.json" with { type: "json" };

const V1_LICENSES: ReadonlySet<string> = new Set(LICENSES);
const SPDX: ReadonlySet<string> = new Set([...identifiers, ...deprecated]);
const OWN = /^(?:DocumentRef-[-A-Za-z0-9.]+:)?LicenseRef-[-A-Za-z0-9.]+$/;
const EXCEPTION = /^[A-Za-z][-A-Za-z0-9.]*$/;
/** Far longer than any expression. */
const MAX_CHARACTERS = 500;

export const isV1License = (license: string): boolean => V1_LICENSES.has(license);

/** Whether a package may name it here: a licence of version 1, or an SPDX expression. */
export const isLicense = (license: string): boolean => isV1License(license) || isExpression(license);

/** An SPDX licence expression (SPDX 3.0, annex B), such as "MIT", "(MIT OR Apache-2.0) AND CERN-OHL-P-2.0". */
function isExpression(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  const words = text.replaceAll(/[()]/g, " $& ").split(" ").filter(Boolean);
  let wanted: "license" | "operator" | "exception" = "license";
  let depth = 0;
  for (const word of words) {
    if (wanted === "license" && word === "(") depth += 1;
    else if (wanted === "license" && isIdentifier(word)) wanted = "operator";
    else if (wanted === "exception" && EXCEPTION.test(word)) wanted = "operator";
    else if (wanted === "operator" && word === ")" && depth > 0) depth -= 1;
    else if (wanted === "operator" && (word === "AND" || word === "OR")) wanted = "license";
    else if (wanted === "operator" && word === "WITH") wanted = "exception";
    else return false;
  }
  return wanted === "operator" && depth === 0;
}

/** "GPL-2.0+" is GPL-2.0 or later. */
const isIdentifier = (word: string): boolean => SPDX.has(word.replace(/\+$/, "")) || OWN.test(word);
