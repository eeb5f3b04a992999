import type { FoundPackage, SearchAnswer } from "@backplane/contract/registry";
import { useCallback, useEffect, useRef, useState } from "react";
import { call, type Fault } from "../../calls/call.ts";
import { useWork } from "../../calls/use-action.ts";
import { type ListQuery, searchPath } from "../paths.ts";
import type { ToolChoice } from "../tool-choice.ts";

const PAGE_SIZE = 50;

type Answered = { query: ListQuery; choice: ToolChoice | undefined; total: number; packages: FoundPackage[] };

type Found = { path: string; answered: Answered | undefined; fault: Fault | undefined };

/** The results of a search. The previous results stay until the next ones arrive. */
export function useFound(query: ListQuery, choice: ToolChoice | undefined) {
  const path = searchPath(query, choice, PAGE_SIZE);
  const [found, setFound] = useState<Found>({ path: "", answered: undefined, fault: undefined });
  const { busy: loadingMore, run } = useWork();
  const request = useRef<AbortController>(undefined);
  const asked = useRef({ query, choice });
  asked.current = { query, choice };

  const load = useCallback(async () => {
    request.current?.abort();
    request.current = new AbortController();
    const { signal } = request.current;
    const answer = await call<SearchAnswer>({ method: "GET", path, signal });
    if (signal.aborted) return;
    setFound(({ answered }) =>
      answer.ok
        ? { path, answered: { ...asked.current, ...answer.value }, fault: undefined }
        : { path, answered, fault: answer.fault },
    );
  }, [path]);

  useEffect(() => {
    void load();
    return () => request.current?.abort();
  }, [load]);

  const loadMore = () =>
    run(async () => {
      const signal = request.current?.signal;
      const offset = found.answered?.packages.length ?? 0;
      const answer = await call<SearchAnswer>({
        method: "GET",
        path: `${path}&offset=${offset}`,
        ...(signal ? { signal } : {}),
      });
      if (signal?.aborted) return;
      setFound(({ answered }) =>
        answer.ok && answered
          ? { path, answered: withMore(answered, answer.value), fault: undefined }
          : { path, answered, fault: answer.ok ? undefined : answer.fault },
      );
    });

  return { answered: found.answered, fault: found.fault, isStale: found.path !== path, load, loadMore, loadingMore };
}

/** Packages published meanwhile shift others from one page to the next, so skip those already listed. */
function withMore(answered: Answered, { total, packages }: SearchAnswer): Answered {
  const known = new Set(answered.packages.map(({ identifier }) => identifier));
  const further = packages.filter(({ identifier }) => !known.has(identifier));
  return { ...answered, total, packages: [...answered.packages, ...further] };
}
