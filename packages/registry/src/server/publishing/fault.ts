import type { CheckNote } from "@backplane/contract/registry";

export const fault = (rule: string, pointer: string, message: string): CheckNote => ({
  level: "error",
  rule,
  pointer,
  message,
});
