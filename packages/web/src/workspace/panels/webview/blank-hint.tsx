import { useEffect, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { BLANK_HINT_AFTER_MS } from "./limits.ts";

type ButtonProps = { isOpen: boolean; controls: string; onToggle: () => void };

/**
 * No browser tells a page that what it framed stayed blank. So the question is there for whoever has it, in a place where
 * it moves nothing.
 */
export function BlankButton({ isOpen, controls, onToggle }: ButtonProps) {
  const [isShown, setShown] = useState(false);

  useEffect(() => {
    const timer = setTimeout(setShown, BLANK_HINT_AFTER_MS, true);
    return () => clearTimeout(timer);
  }, []);

  if (!isShown) return null;
  return (
    <button
      className="btn small quiet webview-ask"
      type="button"
      title="Nothing to see?"
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={onToggle}
    >
      <Icon name="info" />
      <span>Nothing to see?</span>
    </button>
  );
}

export function BlankWords({ id, onProxy }: { id: string; onProxy: () => void }) {
  return (
    <div className="webview-words webview-blank" id={id}>
      <p>Nothing to see? The site may refuse to be framed, or not answer. The proxy helps with the first.</p>
      <Button size="small" onClick={onProxy}>
        Load it through the proxy
      </Button>
    </div>
  );
}
