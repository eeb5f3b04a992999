import type { WebviewLimits } from "@backplane/contract/panels";
import { readBytes } from "@backplane/kit/bounded-body";
import type { Guard } from "@backplane/kit/guard";
import { siteFaultOf } from "../proxy/faults.ts";
import type { FetchSite } from "../proxy/fetch-site.ts";
import { contentTypeOf } from "../proxy/response-headers.ts";

type Dependencies = {
  guard: Pick<Guard, "expectUrl">;
  site: Pick<FetchSite, "get">;
  limits: Pick<WebviewLimits, "framingTimeoutMs" | "maxSiteIconBytes">;
};

/** Not SVG: a few kilobytes can keep the page that shows it busy for good. */
const PICTURE = /^image\/(?:png|x-icon|vnd\.microsoft\.icon)(?=;|$)/;

/**
 * The icon of a site as a data URL, from the place where most sites have it. For pages that are shown directly: they
 * cannot be asked for theirs. Nothing else of the answer is passed on.
 */
export async function readSiteIcon({ guard, site, limits }: Dependencies, page: URL): Promise<string | null> {
  const signal = AbortSignal.timeout(limits.framingTimeoutMs);
  const url = new URL("/favicon.ico", page);
  try {
    guard.expectUrl(url);
    const answer = await site.get(url, { accept: "image/*", "sec-fetch-dest": "image" }, signal);
    const [type] = PICTURE.exec(contentTypeOf(answer)) ?? [];
    const isPicture = answer.status === 200 && type !== undefined;
    const bytes = isPicture ? await readBytes(answer.body, limits.maxSiteIconBytes) : undefined;
    answer.body.on("error", () => {}).destroy();
    return bytes ? `data:${type};base64,${Buffer.from(bytes).toString("base64")}` : null;
  } catch (error) {
    if (signal.aborted || siteFaultOf(error)) return null;
    throw error;
  }
}
