import type { DetailedVersion } from "@backplane/contract/registry";

/** The version that the page shows: the one to install, else the latest stable, else the latest. */
export const shownVersion = (versions: readonly DetailedVersion[]): DetailedVersion | undefined =>
  versions.find(({ chosen }) => chosen === true) ?? versions.find(({ status }) => status === "stable") ?? versions[0];

/** Whether no version works with the chosen tool. */
export const noneWorks = (versions: readonly DetailedVersion[]): boolean =>
  versions.length > 0 && versions.every(({ works }) => works === false);
