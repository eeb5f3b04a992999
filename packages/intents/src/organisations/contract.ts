import { type Static, Type } from "typebox";
import { ACCOUNT_LIMITS, NAME_PATTERN, PLAIN_TEXT_PATTERN } from "../accounts/contract.ts";

export const ORGANISATION_LIMITS = {
  /** That one person is in. */
  maxPerUser: 50,
  maxMembers: 1_000,
};

export const Role = Type.Union([Type.Literal("owner"), Type.Literal("member")]);
export type Role = Static<typeof Role>;

/** POST /auth/organisations; who makes it is its first owner. */
export const CreateOrganisation = Type.Object({
  name: Type.String({ pattern: NAME_PATTERN }),
  display_name: Type.Optional(
    Type.String({ maxLength: ACCOUNT_LIMITS.maxDisplayNameLength, pattern: PLAIN_TEXT_PATTERN }),
  ),
});
export type CreateOrganisation = Static<typeof CreateOrganisation>;

export const Organisation = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  members: Type.Array(Type.Object({ name: Type.String(), role: Role })),
});
export type Organisation = Static<typeof Organisation>;

/** PUT /auth/organisations/{name}/members/{user} */
export const SetMember = Type.Object({ role: Role });
export type SetMember = Static<typeof SetMember>;
