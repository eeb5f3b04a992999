import type { WebviewLimits } from "@backplane/contract/panels";
import type { FollowAccess } from "@backplane/kit/callers";
import type { Guard } from "@backplane/kit/guard";
import type { Passes } from "../passes/passes.ts";
import type { FetchSite } from "./fetch-site.ts";
import type { HeldText } from "./held-text.ts";
import type { SiteSlots } from "./site-slots.ts";

/** What the proxy is made of. */
export type ProxyContext = {
  passes: Passes;
  guard: Guard;
  site: FetchSite;
  slots: SiteSlots;
  /** By person. */
  holdText: (userId: string) => HeldText;
  followAccess: FollowAccess;
  framesUrl: string;
  /** Origins of pages that may embed a frame. */
  ancestors: readonly string[];
  cookieAttributes: string;
  /** The script for pages of a site, which may open windows or not. */
  tracker: (site: string, popups: boolean) => string;
  limits: WebviewLimits;
  onFault: (error: unknown) => void;
};
