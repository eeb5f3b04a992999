import type { Tab } from "@backplane/contract/panels";
import { findPanel } from "../catalog/catalog.ts";

/** What a tab says: the name it was given, or its panel's. */
export const nameOf = ({ displayName, panelType }: Pick<Tab, "displayName" | "panelType">): string =>
  displayName ?? findPanel(panelType)?.name ?? panelType;
