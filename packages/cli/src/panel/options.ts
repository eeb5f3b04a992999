import type { PlaceOptions } from "../login/options.ts";

/** What every command here takes, as commander names it. */
export type PanelFlags = PlaceOptions & { workspace?: string };

export type OpenFlags = PanelFlags & {
  name?: string;
  address?: string;
  state?: string;
  panel?: string;
  right?: boolean;
  below?: boolean;
  reuse?: boolean;
  background?: boolean;
  proxy?: boolean;
};

export type ShotFlags = PanelFlags & {
  scope?: "panel" | "workspace" | "screen";
  method?: "element-capture" | "html2canvas";
  name?: string;
  reason?: string;
  wait?: number;
  max?: number;
  out?: string;
};
