import type { Package, PackageType } from "@backplane/contract/registry";
import { preferredVersion } from "../../versions/choose-version.ts";
import { versionKey } from "../../versions/version-numbers.ts";
import { type Context, installedNow } from "../context.ts";
import type { Found } from "../manager-types.ts";
import type { RepositoryList } from "../repositories/lists.ts";

type SearchOptions = { type?: PackageType; fitting?: boolean; limit?: number };

const MAX_RESULTS = 10_000;

export async function searchPackages(context: Context, query: string, options: SearchOptions): Promise<Found[]> {
  const lists = await context.lists.all();
  const installed = await installedNow(context);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked: { rank: number; listed: Package; list: RepositoryList }[] = [];
  const seen = new Set<string>();
  for (const list of lists) {
    for (const listed of list.listed?.values() ?? []) {
      if (seen.has(listed.identifier)) continue;
      seen.add(listed.identifier);
      // Withdrawn: it has no versions.
      if (listed.versions.length === 0 || (options.type && listed.type !== options.type)) continue;
      const rank = rankOf(listed, words);
      if (rank !== undefined) ranked.push({ rank, listed, list });
    }
  }
  ranked.sort((a, b) => a.rank - b.rank || (a.listed.identifier < b.listed.identifier ? -1 : 1));
  const found: Found[] = [];
  for (const { listed, list } of ranked) {
    if (found.length >= (options.limit ?? MAX_RESULTS)) break;
    const version = preferredVersion(listed.versions, listed.type, context.tool);
    if (options.fitting && !version) continue;
    const has = installed.get(listed.identifier);
    const { identifier, name, description, type, license, tags = [] } = listed;
    found.push({
      ...{ identifier, name, description, type, license, tags },
      repository: { id: list.id, name: list.name, url: list.url },
      ...(version ? { version: versionKey(version), status: version.status } : {}),
      ...(has ? { installed: versionKey(has.current), pinned: has.entry.pinned } : {}),
    });
  }
  return found;
}

/** As in KiCad: the sum over all words of the best field that contains each; undefined if a word is missing. */
function rankOf(listed: Package, words: readonly string[]): number | undefined {
  const { identifier, name, tags = [], description, description_full, author, maintainer } = listed;
  const places = [name, tags.join(" "), description, description_full, author.name, maintainer?.name ?? ""];
  const texts = [identifier, ...places].map((text) => text.toLowerCase());
  let sum = 0;
  for (const word of words) {
    const place = texts.findIndex((text) => text.includes(word));
    if (place === -1) return undefined;
    sum += texts[0] === word ? 0 : place + 1;
  }
  return sum;
}
