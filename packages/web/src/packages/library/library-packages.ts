import type { DetailedVersion, FoundPackage, PackageDetails, SearchAnswer } from "@backplane/contract/registry";
import { type Answer, call } from "../../calls/call.ts";
import { shownVersion } from "../details/shown-version.ts";
import { detailsPath, searchPath } from "../paths.ts";

/** Libraries that are packages of this Backplane; none while it does not answer. */
export async function listLibraries(limit: number, signal: AbortSignal): Promise<readonly FoundPackage[]> {
  const path = searchPath({ q: "", type: "library" }, undefined, limit);
  const answer = await call<SearchAnswer>({ method: "GET", path, signal });
  return answer.ok ? answer.value.packages : [];
}

export type LibraryVersion = { name: string; version: DetailedVersion | undefined };

/** The version of a library that somebody would install now. */
export async function readLibrary(identifier: string, signal: AbortSignal): Promise<Answer<LibraryVersion>> {
  const answer = await call<PackageDetails>({ method: "GET", path: detailsPath(identifier, undefined), signal });
  if (!answer.ok) return answer;
  return { ...answer, value: { name: answer.value.name, version: shownVersion(answer.value.versions) } };
}
