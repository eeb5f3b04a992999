import { PANELS_LIMITS } from "@backplane/contract/panels";
import { endingOf } from "../project-files/path-words.ts";

export type ModelKind = "stl" | "glb" | "gltf";

/** The largest file that the server gives out. */
export const MAX_MODEL_BYTES = Math.max(PANELS_LIMITS.maxFileBytes, PANELS_LIMITS.maxShotBytes);

const KINDS = new Set<string>(["stl", "glb", "gltf"] satisfies ModelKind[]);

export function kindOf(path: string): ModelKind | undefined {
  const ending = endingOf(path);
  return KINDS.has(ending) ? (ending as ModelKind) : undefined;
}

export const isModel = (path: string): boolean => kindOf(path) !== undefined;
