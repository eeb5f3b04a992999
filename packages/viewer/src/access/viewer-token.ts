import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readOrMakeToken } from "@backplane/kit/http";

/** What is needed off this machine: in `$BACKPLANE_HOME/viewer-token`, made at the first start. */
export const openViewerToken = (home: string, random: (size: number) => Buffer = randomBytes): string =>
  readOrMakeToken(join(home, "viewer-token"), "viewer", random);
