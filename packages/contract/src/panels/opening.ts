import type { User } from "../accounts.ts";
import type { CatalogPanel } from "./catalog.ts";
import type { Layout } from "./layout.ts";

/** GET /api/panels/catalog, as far as pages need it. */
export type CatalogAnswer = { panels: readonly CatalogPanel[]; packagePanel: CatalogPanel };

/** What the page of a workspace asks first. The server writes it into the page, as the API answers it to the same caller. */
export type Opening = { user: User; catalog: CatalogAnswer; layout: Layout };

/** The id of the element that has it, as JSON. */
export const OPENING_ID = "opening";
