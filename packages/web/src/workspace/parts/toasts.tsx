import "./toasts.css";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Icon } from "../../parts/icon.tsx";

/** A confirmation that disappears by itself, or a fault that stays until it is dismissed. */
type Toast = { id: number; tone: "done" | "fault"; words: string; undo?: (() => void) | undefined };

const MAX_TOASTS = 4;

export function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);

  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const say = useMemo(() => {
    let last = 0;
    const put = (toast: Omit<Toast, "id">) => {
      last += 1;
      const id = last;
      setToasts((all) => [
        // Equal texts are one message, and only the last change can be undone.
        ...all
          .filter(({ words, undo }) => words !== toast.words && (toast.tone === "fault" || !undo))
          .slice(1 - MAX_TOASTS),
        { id, ...toast },
      ]);
    };
    return {
      done: (words: string, undo?: () => void) => put({ tone: "done", words, undo }),
      fault: (words: string) => put({ tone: "fault", words }),
    };
  }, []);

  return { toasts, dismiss, say };
}

const SHOWN_MS = 5_000;

type Props = { toasts: readonly Toast[]; onDismiss: (id: number) => void };

/** Bottom left, above the panels. */
export function Toasts({ toasts, onDismiss }: Props) {
  return (
    <div className="toasts">
      <div role="status">
        {toasts
          .filter(({ tone }) => tone === "done")
          .map((toast) => (
            <ToastCard key={toast.id} toast={toast} onDismiss={onDismiss} />
          ))}
      </div>
      <div role="alert">
        {toasts
          .filter(({ tone }) => tone === "fault")
          .map((toast) => (
            <ToastCard key={toast.id} toast={toast} onDismiss={onDismiss} />
          ))}
      </div>
    </div>
  );
}

function ToastCard({ toast, onDismiss }: { toast: Toast; onDismiss: (id: number) => void }) {
  const { id, tone, words, undo } = toast;
  const [isHeld, setHeld] = useState(false);

  useEffect(() => {
    if (tone === "fault" || isHeld) return;
    const timer = setTimeout(onDismiss, SHOWN_MS, id);
    return () => clearTimeout(timer);
  }, [id, tone, isHeld, onDismiss]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stays while the pointer or focus is on it
    <div
      className={tone === "fault" ? "toast failed" : "toast"}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {tone === "fault" && <Icon name="warning" />}
      <span>{words}</span>
      {undo && (
        <button
          className="link"
          type="button"
          onClick={() => {
            onDismiss(id);
            undo();
          }}
        >
          Undo
        </button>
      )}
      <button className="icon-btn small" type="button" aria-label="Dismiss" onClick={() => onDismiss(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
