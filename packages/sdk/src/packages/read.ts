import { isObject } from "../sign-in/is-object.ts";
import { callRegistry, type RegistryOptions, unexpectedAnswer } from "./call.ts";
import type { FoundPackages, PackageDetails, PackagePlatform, PackageRuntime, PackageType } from "./types.ts";

/** The design tool somebody has, such as `{ version: "9.0.2", platform: "linux" }`. */
export type ToolOptions = {
  tool?: { version: string; platform: PackagePlatform; runtime?: PackageRuntime } | undefined;
};

export type SearchOptions = RegistryOptions &
  ToolOptions & {
    /** Words that all must be found; absent: every package. */
    query?: string | undefined;
    type?: PackageType | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
  };

/** GET /registry/search; the best matches first. */
export async function searchPackages(options: SearchOptions): Promise<FoundPackages> {
  const { query, type, limit, offset } = options;
  const path = `/registry/search${asked({ q: query, type, limit, offset, ...asTool(options) })}`;
  const body = await callRegistry(options, { method: "GET", path });
  if (!isObject(body) || !Array.isArray(body.packages)) throw unexpectedAnswer("The answer is no list of packages");
  return body as FoundPackages;
}

/** GET /registry/packages/{identifier}/details: all of one package; with a tool, which version to install and why. */
export async function getPackage(
  options: RegistryOptions & ToolOptions & { identifier: string },
): Promise<PackageDetails> {
  const path = `/registry/packages/${encodeURIComponent(options.identifier)}/details${asked(asTool(options))}`;
  const body = await callRegistry(options, { method: "GET", path });
  if (!isObject(body) || !Array.isArray(body.versions)) throw unexpectedAnswer("The answer is no package");
  return body as PackageDetails;
}

const asTool = ({ tool }: ToolOptions) => ({ tool: tool?.version, platform: tool?.platform, runtime: tool?.runtime });

function asked(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return query === "" ? "" : `?${query}`;
}
