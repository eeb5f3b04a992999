import { type Static, Type } from "typebox";

/** `owner` and `repo` in addresses. */
const OWNER_PATTERN = "^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,37}[a-zA-Z0-9])?$";
export const REPO_PATTERN = "^[a-zA-Z0-9_](?:[a-zA-Z0-9._-]{0,98}[a-zA-Z0-9_-])?$";
const ID_PATTERN = "^[a-zA-Z0-9_-]{1,64}$";
export const NODE_ID = Type.String({ pattern: ID_PATTERN });

export const WorkspaceParams = Type.Object({
  owner: Type.String({ pattern: OWNER_PATTERN }),
  repo: Type.String({ pattern: REPO_PATTERN }),
});
export type WorkspaceParams = Static<typeof WorkspaceParams>;

export type JsonObject = { [key: string]: JsonData };
export type JsonData = null | boolean | number | string | JsonData[] | JsonObject;
