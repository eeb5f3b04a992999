import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { changeAddress } from "../change-address.ts";
import type { ListQuery } from "../paths.ts";
import { readQuery } from "./list-address.ts";

/** What is searched. It stands in the address, so that a reload, a link and "back" find the same. */
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
