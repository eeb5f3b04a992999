import type { VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { PageTokens } from "../access/index.ts";
import type { Naming, Pastes, ViewerAccess } from "../services.ts";

export type ViewerLimits = { readonly [Limit in keyof typeof VIEWER_LIMITS]: number };

export type ViewerGround = {
  pastes: Pastes;
  naming: Pick<Naming, "add">;
  tokens: PageTokens;
  access: Pick<ViewerAccess, "openWidget">;
  /** Where people reach the viewer. */
  url: string;
  /** Where people reach the workspaces, which show the page in a frame. */
  baseUrl: string;
  /** Absolute. */
  project: string;
};
