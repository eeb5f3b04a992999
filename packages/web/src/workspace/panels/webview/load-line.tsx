import { useEffect, useState } from "react";
import { hostWords } from "./addresses.ts";
import { LINE_AFTER_MS, LONG_AFTER_MS, WORD_AFTER_MS } from "./limits.ts";

type Stage = "quiet" | "line" | "word" | "long";
const STAGES: readonly [Stage, number][] = [
  ["line", LINE_AFTER_MS],
  ["word", WORD_AFTER_MS],
  ["long", LONG_AFTER_MS],
];

/** Nothing at first, then a thin line, then a word. Its `key` is the load it is about. */
export function LoadLine({ address }: { address: string }) {
  const [stage, setStage] = useState<Stage>("quiet");

  useEffect(() => {
    const timers = STAGES.map(([name, afterMs]) => setTimeout(setStage, afterMs, name));
    return () => timers.forEach(clearTimeout);
  }, []);

  if (stage === "quiet") return null;
  return (
    <>
      <div className="webview-line" />
      {stage !== "line" && (
        <p className="webview-loading" role="status">
          {stage === "word"
            ? `Loading ${hostWords(address)}`
            : `${hostWords(address)} is still loading after ${LONG_AFTER_MS / 1_000} s`}
        </p>
      )}
    </>
  );
}
