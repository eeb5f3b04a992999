import type { FoundPackage, PackageDetails, SearchAnswer } from "@backplane/contract/registry";
import { useEffect, useState } from "react";
import { call } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { shownVersion } from "../../../packages/details/shown-version.ts";
import { detailsPath, searchPath } from "../../../packages/paths.ts";
import { type PackagedSymbol, readPackagedSymbols } from "../../../packages/symbols/library-symbols.ts";

const MAX_PACKAGES = 100;

type FromPackage = PackagedSymbol & { from: string };

/** Libraries that are packages of this Backplane, and the symbols of the one that is chosen. */
export function usePackagedSymbols() {
  const [packages, setPackages] = useState<readonly FoundPackage[]>([]);
  const [chosen, choose] = useState("");
  const [loaded, setLoaded] = useState<{ symbols: readonly FromPackage[]; words: string | undefined }>();

  useEffect(() => {
    const leaving = new AbortController();
    const path = searchPath({ q: "", type: "library" }, undefined, MAX_PACKAGES);
    void call<SearchAnswer>({ method: "GET", path, signal: leaving.signal }).then((answer) => {
      // Without an answer the symbols of the project are still there.
      if (answer.ok && !leaving.signal.aborted) setPackages(answer.value.packages);
    });
    return () => leaving.abort();
  }, []);

  useEffect(() => {
    setLoaded(undefined);
    if (chosen === "") return;
    const leaving = new AbortController();
    const { signal } = leaving;
    void (async () => {
      const answer = await call<PackageDetails>({ method: "GET", path: detailsPath(chosen, undefined), signal });
      const version = answer.ok ? shownVersion(answer.value.versions) : undefined;
      if (signal.aborted) return;
      if (!answer.ok || !version) {
        setLoaded({ symbols: [], words: answer.ok ? "This package has no version." : faultWords(answer.fault) });
        return;
      }
      const { symbols, fault } = await readPackagedSymbols(version, signal);
      if (signal.aborted) return;
      const from = `${answer.value.name} ${version.version}`;
      setLoaded({ symbols: symbols.map((each) => ({ ...each, from })), words: fault });
    })().catch((error: unknown) => {
      if (!signal.aborted) reportError(error);
    });
    return () => leaving.abort();
  }, [chosen]);

  const words = chosen === "" ? undefined : loaded ? loaded.words : "Reading the package";
  return { packages, chosen, choose, words, symbols: chosen === "" ? undefined : (loaded?.symbols ?? []) };
}
