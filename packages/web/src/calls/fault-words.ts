import { waitOf } from "../parts/times.ts";
import type { Fault } from "./call.ts";

/** Problems whose detail says only what to do, not what happened. */
const needsTitle = new Set(["last-owner", "wrong-password", "invitation-ended", "own-account"]);

/** What failed and what to do, for failures that a page has no text of its own for. */
export function faultWords({ status, code, title, detail, retryAfterS }: Fault): string {
  if (status === 0) return "Backplane does not answer. Check that it is running, then try again.";
  if (status === 429) return `Too many tries. Wait ${waitOf(retryAfterS ?? 60)}, then try again.`;
  if (status >= 500) return `${detail ?? sentence(title)} Try again in a moment.`;
  if (detail === undefined) return sentence(title);
  return needsTitle.has(code) ? `${sentence(title)} ${detail}` : detail;
}

const sentence = (title: string): string => (title.endsWith(".") ? title : `${title}.`);
