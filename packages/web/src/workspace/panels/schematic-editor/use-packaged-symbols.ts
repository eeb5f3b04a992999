import type { FoundPackage } from "@backplane/contract/registry";
import { useEffect, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import { listLibraries, readLibrary } from "../../../packages/library/library-packages.ts";
import { type PackagedSymbol, readPackagedSymbols } from "../../../packages/library/library-symbols.ts";

const MAX_PACKAGES = 100;

type FromPackage = PackagedSymbol & { from: string };

/** Libraries that are packages of this Backplane, and the symbols of the one that is chosen. */
export function usePackagedSymbols() {
  const [packages, setPackages] = useState<readonly FoundPackage[]>([]);
  const [chosen, choose] = useState("");
  const [loaded, setLoaded] = useState<{ symbols: readonly FromPackage[]; words: string | undefined }>();

  useEffect(() => {
    const leaving = new AbortController();
    void listLibraries(MAX_PACKAGES, leaving.signal).then((found) => {
      // Without an answer the symbols of the project are still there.
      if (!leaving.signal.aborted) setPackages(found);
    });
    return () => leaving.abort();
  }, []);

  useEffect(() => {
    setLoaded(undefined);
    if (chosen === "") return;
    const leaving = new AbortController();
    const { signal } = leaving;
    void (async () => {
      const answer = await readLibrary(chosen, signal);
      const version = answer.ok ? answer.value.version : undefined;
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
