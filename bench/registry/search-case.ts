import MiniSearch from "minisearch";
import { SearchIndex } from "../../packages/registry/src/server/search/search-index.ts";
import { BenchFault } from "../harness/fault.ts";
import { collectGarbage } from "../harness/garbage.ts";
import { quickSliceMs, sliceMs, warmUpSliceMs } from "../harness/limits.ts";
import type { Measurement } from "../harness/round.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { packagesOf, queriesOf } from "./search-packages.ts";

const PACKAGES = 10_000;
const QUERIES = 200;
const PAGE = 50;
const [OURS, PEER] = ["registry's search", "minisearch"];

/** Finding packages while somebody types: every word must match, whole or as a beginning. */
export async function search(session: Session): Promise<void> {
  const title = "Registry, search";
  session.progress(`${title}: making ${PACKAGES} packages`);
  const packages = packagesOf(PACKAGES);
  const queries = queriesOf(packages, QUERIES);
  const ours = new SearchIndex();
  for (const one of packages) ours.set(one.identifier, one, "owner");
  const peer = new MiniSearch({
    fields: ["identifier", "name", "tags", "description", "description_full", "author"],
    searchOptions: {
      ...{ prefix: true, combineWith: "AND" },
      boost: { identifier: 7, name: 6, tags: 5, description: 4, description_full: 3, author: 2 },
    },
  });
  peer.addAll(
    packages.map(({ tags = [], author, ...one }, id) => ({ ...one, id, tags: tags.join(" "), author: author.name })),
  );
  const contestants = new Map<string, (q: string) => number>([
    [OURS, (q) => ours.search({ q, limit: PAGE }).total],
    [PEER, (q) => peer.search(q).length],
  ]);
  const measure = (label: string, forMs: number) => {
    const ask = contestants.get(label);
    if (!ask) throw new BenchFault(`${title}: there is no ${label}.`);
    return measureSlice(ask, queries, forMs);
  };
  for (const label of contestants.keys()) measure(label, warmUpSliceMs);
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, PEER],
    measure: async (label) => measure(label, session.quick ? quickSliceMs : sliceMs),
  });
  session.report({
    title,
    description: `${QUERIES} queries in ${PACKAGES.toLocaleString("en")} packages, the first ${PAGE} results of each`,
    unit: "queries",
    ours: OURS,
    peers: [PEER],
    rounds,
    targets: [{ measure: "per CPU-s", peer: PEER, atLeast: 1 }],
  });
}

/** All queries, repeated while there is time: no slow one may be left out. */
function measureSlice(ask: (q: string) => number, queries: readonly string[], forMs: number): Measurement {
  // One contestant's garbage must not be collected during another's turn.
  collectGarbage();
  let [operations, found, wallMs] = [0, 0, 0];
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  while (wallMs < forMs) {
    for (const q of queries) found += ask(q);
    operations += queries.length;
    wallMs = performance.now() - startMs;
  }
  if (found === 0) throw new BenchFault("No query found anything.");
  const { user, system } = process.cpuUsage(cpuBefore);
  return { operations, wallS: wallMs / 1_000, cpuS: (user + system) / 1_000_000 };
}
