import { fileURLToPath } from "node:url";

/** Backplane's programs, as paths from the root of the checkout. */
export const PROGRAM_SOURCES = {
  cli: "packages/cli/src/main.ts",
  platform: "packages/platform/src/main.ts",
  gateway: "packages/gateway/src/gateway/main.ts",
  watchdog: "packages/gateway/src/watchdog/main.ts",
  viewer: "packages/viewer/src/main.ts",
  painter: "packages/kit/src/svg/painter.ts",
} as const;

export type ProgramName = keyof typeof PROGRAM_SOURCES;

/** The file to start a program from. The build replaces this module, so that built programs start built ones. */
export const programFile = (name: ProgramName): string =>
  fileURLToPath(new URL(`../../../../${PROGRAM_SOURCES[name]}`, import.meta.url));
