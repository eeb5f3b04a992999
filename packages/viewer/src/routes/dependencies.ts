import type { VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { PageTokens } from "../guard/page-tokens.ts";
import type { Naming, Pastes, ViewerAccess } from "../services.ts";

export type ViewerLimits = { readonly [Limit in keyof typeof VIEWER_LIMITS]: number };

export type ViewerDependencies = {
  pastes: Pastes;
  naming: Pick<Naming, "add">;
  tokens: PageTokens;
  access: Pick<ViewerAccess, "openWidget">;
  /** The public address of the viewer. */
  url: string;
  /** The public address of the workspaces, which show the page in a frame. */
  baseUrl: string;
  /** Absolute path. */
  project: string;
};
