import type { Context } from "../context.ts";
import type { RepositoryContent, RepositoryName } from "../manager-types.ts";
import { checkAddress, repositoryId } from "../repositories/configured.ts";
import { fetchCurrent } from "../repositories/lists.ts";
import { wantedArchive } from "../repositories/wanted-archive.ts";

/** Reads a repository that need not be configured. */
export async function readRepositoryAt(context: Context, url: string): Promise<RepositoryContent> {
  const of = await repositoryAt(context, url);
  const { repository, packages, warnings } = await fetchCurrent(context.sources, of);
  return {
    name: repository.name,
    packages: [...packages.values()],
    warnings,
    fetch: async (identifier, version) => context.archives.fetch(wantedArchive(identifier, version, of.url)),
  };
}

/** The configured repository with this address, or one that is not configured. */
export async function repositoryAt({ configured }: Context, url: string): Promise<RepositoryName> {
  const { host } = checkAddress(url);
  const known = (await configured.all()).find((repository) => repository.url === url);
  return known ?? { id: repositoryId(url), name: host || "the repository", url };
}
