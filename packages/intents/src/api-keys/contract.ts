import { type Static, Type } from "typebox";
import { Scope } from "../accounts/contract.ts";

export const API_KEY_LIMITS = { maxNameLength: 80, maxPerUser: 100 };

export const ALL_SCOPES: readonly Scope[] = ["panels", "publish", "read"];

const Time = Type.String({ format: "date-time" });

/** POST /auth/api-keys; without scopes it may do all that keys can. */
export const CreateApiKey = Type.Object({
  name: Type.String({ minLength: 1, maxLength: API_KEY_LIMITS.maxNameLength }),
  scopes: Type.Optional(Type.Array(Scope, { minItems: 1, uniqueItems: true })),
});
export type CreateApiKey = Static<typeof CreateApiKey>;

export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Scope),
  /** Its first and last characters, such as bpk_7Q2m…GuPa: enough to recognise, nothing to use. */
  hint: Type.String(),
  created_at: Time,
  last_used_at: Type.Union([Time, Type.Null()]),
});
export type ApiKey = Static<typeof ApiKey>;

/** The answer to making one; the key is not shown again. */
export const NewApiKey = Type.Object({ ...ApiKey.properties, key: Type.String() });
export type NewApiKey = Static<typeof NewApiKey>;
