import type { RegistryFacts } from "@backplane/contract/registry";

export type RepositoryAddress = { label: string; address: string };

/** Brands as people write them. */
const NAMES: Readonly<Record<string, string>> = { tool: "your design tool", kicad: "KiCad" };

/** What to add where: the first brand has the shortest address, each has one of its own. */
export function repositoryAddresses({
  brands,
  repository_url,
}: Pick<RegistryFacts, "brands" | "repository_url">): RepositoryAddress[] {
  const root = repository_url.replace(/\/repository\.json$/, "");
  return brands.map((brand, index) => ({
    label: `Add to ${NAMES[brand] ?? brand}`,
    address: index === 0 ? repository_url : `${root}/${brand}/repository.json`,
  }));
}
