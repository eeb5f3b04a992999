type Page = Pick<Document, "hidden" | "addEventListener" | "removeEventListener">;

type Options<T> = {
  load: (signal: AbortSignal) => Promise<T>;
  everyMs: number;
  /** No requests while the page is hidden. */
  page: Page;
  onAnswer: (answer: T) => void;
  onSilence: () => void;
};

/** Loads now, and again some time after each outcome, so that slow answers never pile up. */
export function poll<T>({ load, everyMs, page, onAnswer, onSilence }: Options<T>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  const ask = async () => {
    asking = new AbortController();
    const { signal } = asking;
    const outcome = await load(signal).then(
      (answer) => () => onAnswer(answer),
      () => onSilence,
    );
    if (signal.aborted) return;
    outcome();
    timer = setTimeout(ask, everyMs);
  };

  const pause = () => {
    clearTimeout(timer);
    asking?.abort();
  };

  const followVisibility = () => {
    pause();
    if (!page.hidden) void ask();
  };

  page.addEventListener("visibilitychange", followVisibility);
  followVisibility();

  return () => {
    page.removeEventListener("visibilitychange", followVisibility);
    pause();
  };
}
