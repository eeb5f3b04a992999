import { REGISTRY_LIMITS, WORD_PATTERN } from "@backplane/contract/registry";
import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { changeAddress, type ListQuery } from "../paths.ts";

const TYPE = new RegExp(WORD_PATTERN);

/** The search in an address. Values that are not valid are ignored. */
export function readQuery(search: string): ListQuery {
  const parameters = new URLSearchParams(search);
  const type = parameters.get("type") ?? "";
  return { q: cleanQuery(parameters.get("q") ?? ""), type: TYPE.test(type) ? type : undefined };
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
