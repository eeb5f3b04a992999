import { statSync } from "node:fs";
import type { Upload } from "../../packages/viewer/src/services.ts";

/** A file that has come in whole. */
export const uploadAt = (path: string): Upload => ({
  path,
  bytes: statSync(path).size,
  title: null,
  instance: null,
  receivedAtMs: 0,
});
