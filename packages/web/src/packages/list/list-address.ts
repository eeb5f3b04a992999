import { type PackageType, REGISTRY_LIMITS } from "@backplane/contract/registry";
import type { ListQuery } from "../paths.ts";
import { typeWords } from "../words.ts";

const isType = (value: string | null): value is PackageType => value !== null && Object.hasOwn(typeWords, value);

/** What an address searches for. Parts that mean nothing are left out. */
export function readQuery(search: string): ListQuery {
  const parameters = new URLSearchParams(search);
  const type = parameters.get("type");
  return { q: cleanQuery(parameters.get("q") ?? ""), type: isType(type) ? type : undefined };
}

export const cleanQuery = (typed: string): string => typed.trim().slice(0, REGISTRY_LIMITS.maxQueryCharacters).trim();

/** The address with other parameters; undefined takes one away. */
export function withParameters(address: string, change: Record<string, string | undefined>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search + url.hash;
}
