import { useEffect, useState } from "react";
import { copyText } from "./copy-text.ts";
import { Icon } from "./icon.tsx";

const words: Record<CopyOutcome, string> = { copied: "Copied", refused: "Not copied" };
const announced: Record<CopyOutcome, string> = {
  copied: "Copied",
  refused: "Not copied. The browser refused; select the text and copy it.",
};

function CopyStatus({ outcome }: { outcome: CopyOutcome | undefined }) {
  return (
    <span className="sr" role="status">
      {outcome && announced[outcome]}
    </span>
  );
}

/** Beside a command: says "Copy". */
export function CopyButton({ text }: { text: string }) {
  const { outcome, copy } = useCopy(text);
  return (
    <>
      <button className={`btn small quiet ${outcome ?? ""}`} type="button" onClick={copy}>
        <Icon name={outcome === "copied" ? "check" : "copy"} />
        {outcome ? words[outcome] : "Copy"}
      </button>
      <CopyStatus outcome={outcome} />
    </>
  );
}

/** Beside an address, where only an icon fits; the word appears after copying. */
export function CopyIconButton({ text, label }: { text: string; label: string }) {
  const { outcome, copy } = useCopy(text);
  return (
    <span className="copy-icon">
      <button
        className={`icon-btn small ${outcome ?? ""}`}
        type="button"
        aria-label={outcome ? undefined : label}
        onClick={copy}
      >
        <Icon name={outcome === "copied" ? "check" : "copy"} />
        {outcome && <span className="dense">{words[outcome]}</span>}
      </button>
      <CopyStatus outcome={outcome} />
    </span>
  );
}

/** How long a copy button shows the outcome. */
const COPY_WORD_MS = 2_000;

type CopyOutcome = "copied" | "refused";

function useCopy(text: string) {
  const [outcome, setOutcome] = useState<{ was: CopyOutcome }>();

  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(setOutcome, COPY_WORD_MS, undefined);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => setOutcome({ was: (await copyText(text)) ? "copied" : "refused" });

  return { outcome: outcome?.was, copy };
}
