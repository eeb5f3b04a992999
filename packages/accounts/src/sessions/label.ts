import { Problem } from "@backplane/kit/problems";

/** The name that a person gives to a session, key or passkey, on one line. */
export function readLabel(name: string): string {
  const label = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  if (label !== "") return label;
  throw new Problem("invalid-input", {
    detail: "/name is empty.",
    errors: [{ pointer: "/name", message: "is empty" }],
  });
}
