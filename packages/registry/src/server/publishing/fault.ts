import type { CheckNote } from "../../contract.ts";

export const fault = (rule: string, pointer: string, message: string): CheckNote => ({
  level: "error",
  rule,
  pointer,
  message,
});
