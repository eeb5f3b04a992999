import { useEffect, useRef } from "react";
import { type Answer, call } from "../calls/call.ts";

type Browser = {
  PublicKeyCredential?: unknown;
  isSecureContext: boolean;
  location: { hostname: string; port: string };
};

export type PasskeySupport = { possible: true } | { possible: false; why: string };

const isAddress = (hostname: string): boolean => /^[\d.]+$/.test(hostname) || hostname.startsWith("[");
const isLoopback = (hostname: string): boolean => hostname.startsWith("127.") || hostname === "[::1]";

/** Whether passkeys work on this page. They belong to a host name: browsers refuse them at a bare IP address. */
export function passkeySupport({ PublicKeyCredential: api, isSecureContext, location }: Browser): PasskeySupport {
  if (isAddress(location.hostname)) {
    const port = location.port === "" ? "" : `:${location.port}`;
    const elsewhere = isLoopback(location.hostname) ? `localhost${port}` : "a host name instead of an IP address";
    return { possible: false, why: `Passkeys do not work at ${location.hostname}. Open ${elsewhere} to use one.` };
  }
  if (!isSecureContext) return { possible: false, why: "Passkeys need https. Open this page over https to use one." };
  if (typeof api !== "function" || !("parseRequestOptionsFromJSON" in api)) {
    return { possible: false, why: "This browser does not support passkeys. A newer one does." };
  }
  return { possible: true };
}

export type PasskeyOutcome = { is: "done" } | { is: "given-up" } | { is: "failed"; answer: Answer<never> };

type Mediation = { conditional: boolean; signal: AbortSignal };

/** Signs in with a passkey. Conditional: offered in the name field, without a dialog. */
export async function signInWithPasskey({ conditional, signal }: Mediation): Promise<PasskeyOutcome> {
  const options = await call<PublicKeyCredentialRequestOptionsJSON>({
    method: "POST",
    path: "/auth/passkeys/sign-in/options",
    signal,
  });
  if (!options.ok) return { is: "failed", answer: options };
  const credential = await answered(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.value),
      mediation: conditional ? "conditional" : "optional",
      signal,
    }),
  );
  if (!credential) return { is: "given-up" };
  const answer = await call<never>({
    method: "POST",
    path: "/auth/passkeys/sign-in",
    body: { credential: credential.toJSON() },
  });
  return answer.ok ? { is: "done" } : { is: "failed", answer };
}

/** Makes a passkey for the signed-in user. */
export async function addPasskey(): Promise<PasskeyOutcome | { is: "known" }> {
  const options = await call<PublicKeyCredentialCreationOptionsJSON>({
    method: "POST",
    path: "/auth/passkeys/options",
  });
  if (!options.ok) return { is: "failed", answer: options };
  let known = false;
  const credential = await answered(
    () => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.value) }),
    (error) => {
      known = error.name === "InvalidStateError";
    },
  );
  if (known) return { is: "known" };
  if (!credential) return { is: "given-up" };
  const answer = await call<never>({
    method: "POST",
    path: "/auth/passkeys",
    body: { credential: credential.toJSON() },
  });
  return answer.ok ? { is: "done" } : { is: "failed", answer };
}

/** The person's answer. Browsers report "closed", "timed out" and "no passkey here" alike, on purpose. */
async function answered(
  ask: () => Promise<Credential | null>,
  onFault: (error: Error) => void = () => {},
): Promise<PublicKeyCredential | undefined> {
  try {
    const credential = await ask();
    return credential instanceof PublicKeyCredential ? credential : undefined;
  } catch (error) {
    if (error instanceof Error) onFault(error);
    return undefined;
  }
}

/** Renewed before the server's challenge expires. */
const RENEW_MS = 4 * 60_000;

/**
 * Offers passkeys among the browser's suggestions in the name field, where supported.
 * Returns a function to stop it: browsers allow one such request at a time.
 */
export function usePasskeyOffer(possible: boolean, onOutcome: (outcome: PasskeyOutcome) => void): () => void {
  const asking = useRef<AbortController>(undefined);
  const latestOnOutcome = useRef(onOutcome);
  useEffect(() => {
    latestOnOutcome.current = onOutcome;
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
      if (!signal.aborted) latestOnOutcome.current(outcome);
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
