import { runCases } from "./harness/run-cases.ts";
import type { Session } from "./harness/session.ts";
import { tools } from "./viewer/mcp-case.ts";
import { paste } from "./viewer/paste-case.ts";
import { squeeze } from "./viewer/squeeze-case.ts";
import { name, text } from "./viewer/text-case.ts";

/** Screenshots compared with ImageMagick, optipng, tesseract, and an echo server on the same MCP library. */
export const run = (session: Session): Promise<void> =>
  runCases("viewer", session, { paste, squeeze, text, name, tools });
