import { type Static, Type } from "typebox";

export const OPENID_LIMITS = {
  /** How long a person may take at the provider. */
  flowLifeMs: 10 * 60_000,
  maxReturnToLength: 2_048,
  /** Of one address: ways begun and answers brought back, together. */
  callsPerMinute: 120,
  providerTimeoutS: 10,
  /** How long what the provider says about itself is believed. */
  discoveryLifeMs: 60 * 60_000,
  /** Of a name that is derived: leaves room for what makes it unique. */
  maxDerivedNameLength: 30,
  /** "ada-2" to "ada-9"; after these come random ones. */
  maxNumberedNames: 9,
  maxRandomNames: 3,
};

/** What the page that a failed sign-in (or, when linking, the account page) is reached with: `?fault=…`. */
export type OpenidFault = "openid-declined" | "openid-failed" | "openid-unknown" | "openid-taken";

/** GET /auth/openid/start */
export const StartOpenid = Type.Object({
  return_to: Type.Optional(Type.String({ description: "A path of this site; another one counts as /" })),
  moved: Type.Optional(Type.String({ description: "Set by the server when it moved the browser to its own name" })),
});

/** POST /auth/openid/link: where the browser goes next. */
export const OpenidAddress = Type.Object({ url: Type.String() });
export type OpenidAddress = Static<typeof OpenidAddress>;

/** GET /auth/openid/link */
export const OpenidLink = Type.Object({ linked: Type.Boolean() });
export type OpenidLink = Static<typeof OpenidLink>;
