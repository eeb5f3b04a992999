import { type PackageType, REGISTRY_LIMITS } from "@backplane/contract/registry";
import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { changeAddress, type ListQuery } from "../paths.ts";
import { typeWords } from "../words.ts";

const isType = (value: string | null): value is PackageType => value !== null && Object.hasOwn(typeWords, value);

/** The search in an address. Values that are not valid are ignored. */
export function readQuery(search: string): ListQuery {
  const parameters = new URLSearchParams(search);
  const type = parameters.get("type");
  return { q: cleanQuery(parameters.get("q") ?? ""), type: isType(type) ? type : undefined };
}

export const cleanQuery = (typed: string): string => typed.trim().slice(0, REGISTRY_LIMITS.maxQueryCharacters).trim();

/** The current search. It is kept in the address, so that reloads, links and "back" find the same. */
export function useListQuery() {
  const location = useLocation();
  const [query, setQuery] = useState<ListQuery>(() => readQuery(location.search));

  useEffect(() => {
    const { q, type } = readQuery(location.search);
    setQuery((before) => (before.q === q && before.type === type ? before : { q, type }));
  }, [location]);

  const change = (part: Partial<ListQuery>) => {
    const next = { ...query, ...part };
    changeAddress(next);
    setQuery(next);
  };

  return { query, change };
}
