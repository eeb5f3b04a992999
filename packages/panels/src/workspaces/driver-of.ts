import type { Caller } from "@backplane/kit/callers";

/** The program that drives a tab; a person's own browser drives nothing. */
export const driverOf = ({ kind, credentialName }: Caller): string | undefined =>
  kind === "Browser" ? undefined : credentialName;
