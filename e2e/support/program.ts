import { type SignedIn, type SignInLink, signIn } from "../../packages/sdk/src/index.ts";

export type WaitingProgram = Disposable & {
  /** What it shows to its user. */
  link: SignInLink;
  /** Rejects with what it would tell its user. */
  signedIn: Promise<SignedIn>;
};

/** A program of somebody else that signs its user in, as far as showing the link. */
export async function startSigningIn(
  baseUrl: string,
  options: { appName?: string; maxAge?: number } = {},
): Promise<WaitingProgram> {
  const shown = Promise.withResolvers<SignInLink>();
  const stop = new AbortController();
  const signedIn = signIn({ baseUrl, ...options, signal: stop.signal, onUrl: shown.resolve });
  // It is waited for later.
  signedIn.catch(shown.reject);
  return { link: await shown.promise, signedIn, [Symbol.dispose]: () => stop.abort() };
}
