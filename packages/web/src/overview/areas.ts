import type { AreaName, Overview } from "@backplane/platform/contract";

/** An area that the platform does not name is not built. */
export function isBuilt(areas: Overview["areas"], name: AreaName): boolean {
  return areas.some((area) => area.name === name && area.built);
}
