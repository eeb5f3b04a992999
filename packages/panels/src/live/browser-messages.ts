import {
  type BrowserMessage,
  DISPLAY_SURFACES,
  type DisplaySurface,
  ORDER_FAULTS,
  type OrderFault,
  PANELS_LIMITS,
  type Sharing,
  SOCKET_LIMITS,
} from "@backplane/contract/panels";
import { jsonFields } from "@backplane/kit/json-fields";

import { readSiteUrl } from "../site-url.ts";

const ID = /^[a-zA-Z0-9_.-]{1,64}$/;
const FAULTS: ReadonlySet<unknown> = new Set(ORDER_FAULTS);
const SURFACES: ReadonlySet<DisplaySurface> = new Set(DISPLAY_SURFACES);

type Fields = Record<string, unknown>;

const isId = (value: unknown): value is string => typeof value === "string" && ID.test(value);

/** A browser's message with the fields of its type and no others. Undefined: it is not a valid message. */
export function readBrowserMessage(text: string): BrowserMessage | undefined {
  if (isTooDeep(text)) return undefined;
  const fields = jsonFields(text);
  if (!fields) return undefined;
  switch (fields.type) {
    case "answer":
      return readAnswer(fields);
    case "hello":
    case "renew":
      return typeof fields.ticket === "string" ? { type: fields.type, ticket: fields.ticket } : undefined;
    case "mounted":
      return isId(fields.tabId) ? { type: "mounted", tabId: fields.tabId } : undefined;
    case "report":
      return readReport(fields);
    case "sharing":
      return readSharing(fields.sharing);
    case "sharing-declined":
      return isId(fields.id) ? { type: "sharing-declined", id: fields.id } : undefined;
    default:
      return undefined;
  }
}

function readAnswer({ id, ok, value = null, code, detail }: Fields): BrowserMessage | undefined {
  if (!isId(id)) return undefined;
  if (ok === true) return { type: "answer", id, ok, value: value as never };
  if (ok !== false || !FAULTS.has(code)) return undefined;
  const words = typeof detail === "string" ? detail.slice(0, SOCKET_LIMITS.maxDetailLength) : "";
  return { type: "answer", id, ok, code: code as OrderFault, detail: words };
}

function readReport({ tabId, url, title, visit }: Fields): BrowserMessage | undefined {
  if (!isId(tabId)) return undefined;
  return {
    type: "report",
    tabId,
    ...(typeof url === "string" && readSiteUrl(url).ok ? { url } : {}),
    ...(Number.isSafeInteger(visit) ? { visit: visit as number } : {}),
    ...(typeof title === "string" ? { title: title.slice(0, PANELS_LIMITS.maxTitleLength).toWellFormed() } : {}),
  };
}

function readSharing(value: unknown): BrowserMessage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { active, displaySurface, surfaces } = value as Fields;
  if (typeof active !== "boolean" || !(displaySurface === null || SURFACES.has(displaySurface as DisplaySurface)))
    return undefined;
  // A browser that does not share has no surface.
  if (!active) return { type: "sharing", sharing: { active, displaySurface: null } };
  const all = Array.isArray(surfaces) ? [...SURFACES].filter((surface) => surfaces.includes(surface)) : [];
  const surface = displaySurface as Sharing["displaySurface"];
  return {
    type: "sharing",
    sharing: { active, displaySurface: surface, ...(all.length > 0 ? { surfaces: all } : {}) },
  };
}

const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** JSON can be parsed to any depth, but serialising it is limited by the stack, and answers are serialised again. */
function isTooDeep(text: string): boolean {
  if (text.length < 2 * SOCKET_LIMITS.maxAnswerDepth) return false;
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (isInText) {
      if (unit === BACKSLASH) i += 1;
      else if (unit === QUOTE) isInText = false;
    } else if (unit === QUOTE) isInText = true;
    else if (OPENING.has(unit)) {
      depth += 1;
      if (depth > SOCKET_LIMITS.maxAnswerDepth) return true;
    } else if (CLOSING.has(unit)) depth -= 1;
  }
  return false;
}
