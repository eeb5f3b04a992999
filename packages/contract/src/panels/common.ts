import { type Static, Type } from "typebox";
import { PANELS_LIMITS } from "./limits.ts";

const OWNER_PATTERN = "^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,37}[a-zA-Z0-9])?$";
export const MAX_REPO_LENGTH = 100;
export const REPO_PATTERN = `^[a-zA-Z0-9_](?:[a-zA-Z0-9._-]{0,${MAX_REPO_LENGTH - 2}}[a-zA-Z0-9_-])?$`;
export const NODE_ID = Type.String({ pattern: "^[a-zA-Z0-9_-]{1,64}$" });

/** `owner` and `repo` in addresses. */
export const WorkspaceParams = Type.Object({
  owner: Type.String({ pattern: OWNER_PATTERN }),
  repo: Type.String({ pattern: REPO_PATTERN }),
});
export type WorkspaceParams = Static<typeof WorkspaceParams>;

export type JsonObject = { [key: string]: JsonData };
export type JsonData = null | boolean | number | string | JsonData[] | JsonObject;

export const JSON_DATA = Type.Unsafe<JsonData>({});
export const JSON_OBJECT = Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Any()));
export const nullable = <Schema extends Type.TSchema>(schema: Schema, options: Type.TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

export const SITE_URL = Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxUrlLength });

/** What a web view allows its site: to open windows, and to save files. Neither, unless they are set. */
export const SITE_PERMISSIONS = {
  popups: Type.Optional(Type.Boolean()),
  downloads: Type.Optional(Type.Boolean()),
};

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export const LOG_LEVEL = Type.Enum(LOG_LEVELS);
export type LogLevel = Static<typeof LOG_LEVEL>;

export const PANEL = { panelId: NODE_ID };
/** `panelId` in the address of a report. */
export const PanelQuery = Type.Object({ panelId: Type.String({ minLength: 1, maxLength: 64 }) });
export const SET_HEADER_HIDDEN = Type.Object({
  ...PANEL,
  action: Type.Literal("setHeaderHidden"),
  hidden: Type.Boolean(),
});
