import type { PackageType } from "@backplane/contract/registry";
import type { ToolChoice } from "./tool-choice.ts";

export const REGISTRY = "/registry";
export const PUBLISH_PAGE = "/packages/publish";

const asQuery = (parameters: URLSearchParams): string => (parameters.size === 0 ? "" : `?${parameters}`);

const ofTool = (choice: ToolChoice | undefined): Record<string, string> => (choice ? { ...choice } : {});

export type ListQuery = { q: string; type: PackageType | undefined };

export function searchPath({ q, type }: ListQuery, choice: ToolChoice | undefined, limit: number): string {
  const parameters = new URLSearchParams({ ...(q ? { q } : {}), ...(type ? { type } : {}), ...ofTool(choice) });
  parameters.set("limit", String(limit));
  return `${REGISTRY}/search${asQuery(parameters)}`;
}

const packagePath = (identifier: string): string => `${REGISTRY}/packages/${encodeURIComponent(identifier)}`;

export const detailsPath = (identifier: string, choice: ToolChoice | undefined): string =>
  `${packagePath(identifier)}/details${asQuery(new URLSearchParams(ofTool(choice)))}`;

export const iconPath = (identifier: string): string => `${packagePath(identifier)}/icon.png`;

export const screenshotPath = (identifier: string, sha256: string): string =>
  `${packagePath(identifier)}/screenshots/${sha256}.png`;

export const versionPath = (identifier: string, key: string): string =>
  `${packagePath(identifier)}/versions/${encodeURIComponent(key)}`;

export const addressesPath = (owner?: string): string =>
  `${REGISTRY}/addresses${asQuery(new URLSearchParams(owner === undefined ? {} : { owner }))}`;

export const addressPath = (id: string): string => `${REGISTRY}/addresses/${encodeURIComponent(id)}`;

export const publishPath = (options: { owner?: string; check?: boolean; isPrivate?: boolean }): string =>
  `${REGISTRY}/packages${asQuery(
    new URLSearchParams({
      ...(options.owner === undefined ? {} : { owner: options.owner }),
      ...(options.check ? { check: "true" } : {}),
      ...(options.isPrivate ? { private: "true" } : {}),
    }),
  )}`;

/** The page of a package, for the same tool. */
export const packagePage = (identifier: string, choice?: ToolChoice): string =>
  `/packages/${encodeURIComponent(identifier)}${asQuery(new URLSearchParams(ofTool(choice)))}`;

/** The list of packages, with a search. */
export const searchPage = (q: string): string => `/packages${asQuery(new URLSearchParams({ q }))}`;

/** The address with changed parameters; undefined removes one. */
export function withParameters(address: string, change: Record<string, string | undefined>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search + url.hash;
}

/** Puts a choice into the address, for reloads and links, without a navigation in the router. */
export function changeAddress(change: Record<string, string | undefined>): void {
  window.history.replaceState(window.history.state, "", withParameters(window.location.href, change));
}
