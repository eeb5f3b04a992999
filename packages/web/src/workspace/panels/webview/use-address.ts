import { useState } from "react";
import { completeAddress } from "./addresses.ts";

/** A field that takes an address: what is typed is never cleared, and what is wrong with it stands beside it. */
export function useAddress(shown: string, open: (url: string) => Promise<string | undefined>) {
  const [draft, setDraft] = useState<string>();
  const [hint, setHint] = useState<string>();
  const [isAsking, setAsking] = useState(false);

  const submit = async (): Promise<boolean> => {
    if (isAsking) return false;
    const completed = completeAddress(draft ?? shown);
    if (!completed.ok) {
      setHint(completed.hint);
      return false;
    }
    setAsking(true);
    const words = await open(completed.url);
    setAsking(false);
    setHint(words);
    if (words !== undefined) return false;
    setDraft(undefined);
    return true;
  };

  return {
    value: draft ?? shown,
    hint,
    isAsking,
    submit,
    type(text: string) {
      setDraft(text);
      setHint(undefined);
    },
    reset() {
      setDraft(undefined);
      setHint(undefined);
    },
  };
}
