import { useCallback, useMemo, useState } from "react";

/** A confirmation that goes by itself, or a fault that stays until it is read. */
export type Toast = { id: number; tone: "done" | "fault"; words: string; undo?: (() => void) | undefined };

/** Older ones give way. */
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
        // The same words twice are one message, and only the last change can be taken back.
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
