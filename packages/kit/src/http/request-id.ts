import { randomUUID } from "node:crypto";

/** The last two digits of the ids of a batch. */
const ENDINGS = Array.from({ length: 256 }, (_, count) => count.toString(16).padStart(2, "0"));

let [beginning, count] = ["", 0];

/** An id for a request: unique, but no secret. A new UUID for each would be three times the cost, so 256 differ only at the end. */
export function nextRequestId(): string {
  const ending = count % ENDINGS.length;
  if (ending === 0) beginning = randomUUID().slice(0, -2);
  count += 1;
  return beginning + ENDINGS[ending];
}
