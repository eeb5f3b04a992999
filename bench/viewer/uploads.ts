import { statSync } from "node:fs";
import type { Upload } from "../../packages/viewer/src/services.ts";

/** A completely received file. */
export const uploadAt = (path: string): Upload => ({
  path,
  bytes: statSync(path).size,
  title: null,
  instance: null,
  receivedAtMs: 0,
});
