import { randomBytes } from "node:crypto";

const ID_BYTES = 10;
const LETTERS = { workspace: "w", panel: "p", tab: "t", split: "s" } as const;

export type NewId = (kind: keyof typeof LETTERS) => string;

/** Lower case and digits only: ids of tabs become part of host names. */
export const newId: NewId = (kind) => `${LETTERS[kind]}${randomBytes(ID_BYTES).toString("hex")}`;
