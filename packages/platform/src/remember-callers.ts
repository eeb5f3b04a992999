import { createHash } from "node:crypto";
import { BoundedMap } from "@backplane/kit/bounded-map";
import type { Clock } from "@backplane/kit/clock";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";

/** Who was let in lately is believed while the database does not answer: that is when people need these pages. */
const REMEMBERED_MS = 600_000;
const MAX_REMEMBERED = 1_000;
/** Somebody who is remembered does not wait longer for a database that hangs. */
const CHECK_TIMEOUT_MS = 2_000;

type Check = (request: FastifyRequest) => Promise<boolean>;

/** The same check, which remembers for a while whom it let in. A refusal, as an answer or as a Problem below 500, is final. */
export function rememberCallers(check: Check, now: Clock): Check {
  const known = new BoundedMap<string, true>({ maxEntries: MAX_REMEMBERED, maxAgeMs: REMEMBERED_MS, now });
  return async (request) => {
    const { cookie, authorization, "x-api-key": apiKey } = request.headers;
    const credentials = createHash("sha256")
      .update(JSON.stringify([cookie, authorization, apiKey]))
      .digest("base64");
    const checking = check(request).then(
      (isLetIn) => {
        if (isLetIn) known.set(credentials, true);
        else known.delete(credentials);
        return isLetIn;
      },
      (error: unknown) => {
        if (error instanceof Problem && error.status < 500) known.delete(credentials);
        else if (known.get(credentials)) return true;
        throw error;
      },
    );
    if (!known.get(credentials)) return checking;
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(true), CHECK_TIMEOUT_MS);
    return Promise.race([checking, late.promise]).finally(() => clearTimeout(timer));
  };
}
