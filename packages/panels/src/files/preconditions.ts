import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "@backplane/kit/problems";

/** The condition under which a change is made. */
export type Precondition = { kind: "absent" } | { kind: "is"; tags: readonly string[] } | { kind: "exists" };

const TAG = /^"[\x21\x23-\x7e]{0,100}"$/;
const MAX_TAGS = 20;

/** RFC 9110, 13.1. A change without a condition could overwrite somebody's work, so one is required (RFC 6585, 3). */
export function readPrecondition(headers: IncomingHttpHeaders, { mayCreate }: { mayCreate: boolean }): Precondition {
  const ifMatch = headers["if-match"]?.trim();
  const ifNoneMatch = headers["if-none-match"]?.trim();
  if (ifMatch !== undefined && ifNoneMatch !== undefined) {
    throw wrongHeader("if-none-match", "must not come together with If-Match");
  }
  if (ifNoneMatch !== undefined) {
    if (!mayCreate || ifNoneMatch !== "*")
      throw wrongHeader("if-none-match", mayCreate ? 'must be "*"' : "does not apply here");
    return { kind: "absent" };
  }
  if (ifMatch === undefined) {
    const create = mayCreate ? ", or If-None-Match: * to create a new file" : "";
    throw new Problem("precondition-needed", {
      detail: `Send If-Match with the ETag of the file that you read${create}.`,
      errors: [{ pointer: "/headers/if-match", message: "is missing" }],
    });
  }
  if (ifMatch === "*") return { kind: "exists" };
  const tags = ifMatch.split(",").map((tag) => tag.trim());
  // A weak tag never matches (RFC 9110, 8.8.3.2), but it is valid.
  const isReadable = tags.length <= MAX_TAGS && tags.every((tag) => TAG.test(tag.replace(/^W\//, "")));
  if (!isReadable) throw wrongHeader("if-match", 'must be an ETag in quotes, such as "2cf2…"');
  return { kind: "is", tags };
}

/** 412 when the file is not as the caller expects. `etag` undefined: there is no file. */
export function checkPrecondition(precondition: Precondition, etag: string | undefined): void {
  const headers = etag === undefined ? {} : { etag };
  if (precondition.kind === "absent") {
    if (etag === undefined) return;
    throw new Problem("file-exists", { detail: "Read it first, then change it with If-Match.", headers });
  }
  if (etag === undefined) {
    throw new Problem("file-changed", {
      detail: "The file was deleted meanwhile. To create it again, send If-None-Match: *.",
    });
  }
  if (precondition.kind === "is" && !precondition.tags.includes(etag)) {
    throw new Problem("file-changed", {
      detail: "Somebody else has changed the file. Read it again, then save your change.",
      headers,
    });
  }
}

const wrongHeader = (name: string, message: string): Problem =>
  new Problem("invalid-parameter", {
    detail: `The header ${name} ${message}.`,
    errors: [{ pointer: `/headers/${name}`, message }],
  });
