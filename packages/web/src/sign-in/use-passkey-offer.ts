import { useEffect, useRef } from "react";
import { type PasskeyOutcome, signInWithPasskey } from "./passkeys.ts";

/** A question to the browser is renewed before the server forgets it. */
const RENEW_MS = 4 * 60_000;

/**
 * Offers passkeys among the names that the browser suggests in the name field, where it can.
 * Returns a way to stop: browsers answer one such question at a time.
 */
export function usePasskeyOffer(possible: boolean, onOutcome: (outcome: PasskeyOutcome) => void): () => void {
  const asking = useRef<AbortController>(undefined);
  const told = useRef(onOutcome);
  useEffect(() => {
    told.current = onOutcome;
  }, [onOutcome]);

  useEffect(() => {
    if (!possible) return;
    const offer = async () => {
      asking.current?.abort();
      asking.current = new AbortController();
      const { signal } = asking.current;
      const canOffer = await PublicKeyCredential.isConditionalMediationAvailable?.();
      if (!canOffer || signal.aborted) return;
      const outcome = await signInWithPasskey({ conditional: true, signal });
      if (!signal.aborted) told.current(outcome);
    };
    void offer();
    const timer = setInterval(offer, RENEW_MS);
    return () => {
      clearInterval(timer);
      asking.current?.abort();
    };
  }, [possible]);

  return () => asking.current?.abort();
}
