// Panels that come from packages: what panel.json says, what a workspace has allowed, and what is said over the port.
import { type Static, Type } from "typebox";
import { DEVICES_LIMITS } from "../devices/limits.ts";
import { PANEL_CATEGORIES } from "./catalog.ts";
import {
  JSON_DATA,
  JSON_OBJECT,
  type JsonData,
  type JsonObject,
  NODE_ID,
  nullable,
  WorkspaceParams,
} from "./common.ts";
import { PANEL_PACKAGE_LIMITS } from "./package-limits.ts";

/** A kind of capability, such as temperature. */
export const CAPABILITY_KIND = "^[a-z][a-z0-9-]{0,39}$";
/** `read:data/**`, `write:reports/*.csv` */
export const FILE_WANT = "^(?:read|write):[A-Za-z0-9_*][A-Za-z0-9_.*-]*(?:/[A-Za-z0-9_*][A-Za-z0-9_.*-]*)*$";
export const TOOL_NAME = "^[a-z][a-z0-9_]{0,39}$";

const kinds = (description: string) => Type.Array(Type.String(), { description, examples: [["temperature"]] });

/** What a panel wants to do. A list that is empty: nothing of the kind. There is no network, for any panel. */
export const PanelWants = Type.Object({
  read: kinds("Kinds of capability of devices whose values it reads; `*`: all"),
  control: kinds("Kinds of capability that it sends commands to"),
  files: Type.Array(Type.String(), {
    description: "Files of the project: `read:data/**`, `write:reports/*.csv`",
    examples: [["read:data/**"]],
  }),
  tools: Type.Array(Type.String(), { description: "Tools that it offers to agents", examples: [["peak"]] }),
  eval: Type.Optional(Type.Boolean({ description: "Programs run code of their own in its frame, as in a sandbox" })),
});
export type PanelWants = Static<typeof PanelWants>;

export const PanelTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  input: Type.Unsafe<JsonObject>({ ...JSON_OBJECT, description: "JSON Schema of its input" }),
});
export type PanelTool = Static<typeof PanelTool>;

/** plugins/panel/panel.json, as it is stored: with every list, in the order of the file. */
export const PanelManifest = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  category: Type.Enum(PANEL_CATEGORIES),
  entry: Type.String({ description: "A JavaScript module in plugins/panel" }),
  style: nullable(Type.String({ description: "A style sheet in plugins/panel" })),
  wants: PanelWants,
  tools: Type.Array(PanelTool, { examples: [[]] }),
  singleton: Type.Optional(Type.Boolean({ description: "At most one per workspace" })),
  stateSchema: Type.Optional(
    Type.Unsafe<JsonObject>({
      ...JSON_OBJECT,
      description: "JSON Schema of what the panel keeps, as far as it is allowed",
    }),
  ),
});
export type PanelManifest = Static<typeof PanelManifest>;

/** What `next` wants beyond `before`. */
export function moreWants(next: PanelWants, before: PanelWants): PanelWants {
  const beyond = (key: Exclude<keyof PanelWants, "eval">) =>
    before[key].includes("*") ? [] : next[key].filter((each) => !before[key].includes(each));
  return {
    ...{ read: beyond("read"), control: beyond("control"), files: beyond("files"), tools: beyond("tools") },
    ...(runsCode(next) && !runsCode(before) ? { eval: true } : {}),
  };
}

/** Whether it wants the values of this kind of capability: what it controls, it also reads. */
export const mayRead = ({ read, control }: PanelWants, kind: string): boolean =>
  read.includes("*") || read.includes(kind) || control.includes(kind);

/** Whether programs may run code in it. */
export const runsCode = (wants: PanelWants): boolean => wants.eval === true;

export const wantsNothing = ({ eval: wantsCode = false, ...lists }: PanelWants): boolean =>
  !wantsCode && Object.values(lists).every((list) => list.length === 0);

const Identifier = Type.String({
  pattern: "^[a-zA-Z][-a-zA-Z0-9.]{0,98}[a-zA-Z0-9]$",
  examples: ["com.example.gauge"],
});
const Sha256 = Type.String({ pattern: "^[a-f0-9]{64}$", examples: ["9f86d081".repeat(8)] });
const Version = Type.String({ minLength: 1, maxLength: 40, examples: ["1.0.0"] });

export const PanelPackageParams = Type.Object({ ...WorkspaceParams.properties, identifier: Identifier });

/** A version of a panel that can be added to a workspace. */
export const OfferedPanel = Type.Object({
  identifier: Identifier,
  version: Version,
  sha256: Sha256,
  size: Type.Integer({ description: "Of the archive, in bytes" }),
  owner: Type.String({ description: "Who published it" }),
  status: Type.String(),
  panel: PanelManifest,
});
export type OfferedPanel = Static<typeof OfferedPanel>;

const DeviceId = Type.String({
  pattern: `^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,${DEVICES_LIMITS.maxIdLength - 1}}$`,
  examples: ["rover"],
});
const DeviceIds = Type.Array(DeviceId, { maxItems: PANEL_PACKAGE_LIMITS.maxChosenDevices, uniqueItems: true });
/** The devices that somebody has chosen for a panel; it sees no others. */
export const ChosenDevices = Type.Object({ ids: DeviceIds, chosenBy: Type.String(), chosenAt: Type.String() });
export type ChosenDevices = Static<typeof ChosenDevices>;
const devicesOf = nullable(ChosenDevices, { description: "Null: every device that fits, also later ones" });

/** A panel that people have added to a workspace. */
export const InstalledPanel = Type.Object({
  identifier: Identifier,
  version: Version,
  sha256: Sha256,
  owner: nullable(Type.String({ description: "Null: it is not in the registry any more" })),
  panel: PanelManifest,
  allowedBy: Type.String({ description: "The person who allowed what it wants" }),
  allowedAt: Type.String(),
  devices: devicesOf,
  update: nullable(OfferedPanel),
});
export type InstalledPanel = Static<typeof InstalledPanel>;

/** A folder on somebody's computer, as `backplane panel dev` sends it. */
export const DraftPanel = Type.Object({
  identifier: Identifier,
  version: Version,
  sha256: Sha256,
  panel: PanelManifest,
  sentBy: Type.String(),
  sentAt: Type.String(),
  until: Type.String(),
  allowedBy: nullable(Type.String({ description: "Null: nobody has allowed what it wants" })),
  devices: devicesOf,
});
export type DraftPanel = Static<typeof DraftPanel>;

/** GET …/current/packages */
export const PanelPackages = Type.Object({
  panels: Type.Array(InstalledPanel, { examples: [[]] }),
  drafts: Type.Array(DraftPanel, { examples: [[]] }),
});
export type PanelPackages = Static<typeof PanelPackages>;

/** GET …/current/packages/offered */
export const OfferedPanels = Type.Object({ panels: Type.Array(OfferedPanel, { examples: [[]] }) });

const GivenDevices = nullable(DeviceIds, { description: "Only these; null: every device that fits, also later ones" });

/** PUT …/current/packages/{identifier}: this version, with this checksum, may do this. */
export const AllowPanel = Type.Object({
  ...{ version: Version, sha256: Sha256, wants: PanelWants },
  /** What is not given stays: for a new panel, every device that fits. */
  devices: Type.Optional(GivenDevices),
});
export type AllowPanel = Static<typeof AllowPanel>;

/** PUT …/current/packages/{identifier}/devices */
export const ChoosePanelDevices = Type.Object({ devices: GivenDevices });

/** POST …/current/packages/{identifier}/frame */
export const OpenPanelFrame = Type.Object({
  tabId: NODE_ID,
  generation: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  window: Type.String({ pattern: "^[a-z0-9]{1,8}$", examples: ["k3x9a"] }),
  draft: Type.Optional(Type.Boolean()),
});
export const PanelFrame = Type.Object({
  address: Type.String(),
  version: Version,
  sha256: Sha256,
  panel: PanelManifest,
  devices: nullable(Type.Array(DeviceId), { description: "The panel sees only these; null: every device that fits" }),
});
export type PanelFrame = Static<typeof PanelFrame>;

/** GET …/current/packages/tools */
export const OpenPanelTools = Type.Object({
  tools: Type.Array(Type.Object({ tabId: Type.String(), panel: Type.String(), ...PanelTool.properties }), {
    examples: [[]],
  }),
});
export type OpenPanelTools = Static<typeof OpenPanelTools>;
/** POST …/current/packages/tools */
export const CallPanelTool = Type.Object({
  tabId: NODE_ID,
  name: Type.String({ pattern: TOOL_NAME, examples: ["peak"] }),
  input: Type.Optional(JSON_OBJECT),
});
export const PanelToolResult = Type.Object({ result: JSON_DATA });
export type PanelToolResult = { result: JsonData };
