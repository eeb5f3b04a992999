import { useEffect, useState } from "react";
import { copyText } from "./copy-text.ts";

/** How long a copy button says what happened. */
const COPY_WORD_MS = 2_000;

export type CopyOutcome = "copied" | "refused";

export function useCopy(text: string) {
  const [outcome, setOutcome] = useState<{ was: CopyOutcome }>();

  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(setOutcome, COPY_WORD_MS, undefined);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => setOutcome({ was: (await copyText(text)) ? "copied" : "refused" });

  return { outcome: outcome?.was, copy };
}
