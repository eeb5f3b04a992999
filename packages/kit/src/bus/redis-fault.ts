import { ErrorReply } from "@redis/client";
import { BusFault } from "./fault.ts";
import { Overdue, Silent } from "./redis-deadline.ts";

/**
 * A fault without the client's own text and without it as a cause: a server quotes what it does not understand (before
 * version 6 the handshake with its password), and a bad address is quoted whole.
 */
export function unavailable(error: unknown): BusFault {
  return new BusFault("unavailable", `Redis is not available (${reasonOf(error)})`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Silent || error instanceof Overdue) return "no answer in time";
  // An error reply begins with its kind in capitals: "WRONGPASS invalid username…", "LOADING Redis is…".
  if (error instanceof ErrorReply) return /^[A-Z]+\b/.exec(error.message)?.[0] ?? "error reply";
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.constructor.name : "unknown";
}
