import { runCases } from "./harness/run-cases.ts";
import type { Session } from "./harness/session.ts";
import { index } from "./registry/index-build.ts";
import { publish } from "./registry/publish-case.ts";
import { search } from "./registry/search-case.ts";
import { metadata, serve } from "./registry/serve-case.ts";
import { validate } from "./registry/validate-case.ts";

/** Packages compared with ajv and Python, sha256sum, nginx and verdaccio, and minisearch. */
export const run = (session: Session): Promise<void> =>
  runCases("registry", session, { validate, index, publish, serve, metadata, search });
