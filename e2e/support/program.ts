import { type SignedIn, type SignInLink, type SignInOptions, signIn } from "../../packages/sdk/src/index.ts";

export type WaitingProgram = Disposable & {
  link: SignInLink;
  /** Rejects with the error for its user. */
  signedIn: Promise<SignedIn>;
};

/** Starts a third-party program's sign-in, up to the link that it shows. */
export async function startSigningIn(
  baseUrl: string,
  options: Pick<SignInOptions, "appName" | "maxAge" | "fetch"> = {},
): Promise<WaitingProgram> {
  const shown = Promise.withResolvers<SignInLink>();
  const stop = new AbortController();
  const signedIn = signIn({ baseUrl, ...options, signal: stop.signal, onUrl: shown.resolve });
  // Also marks the rejection as handled: the caller awaits it later.
  signedIn.catch(shown.reject);
  return { link: await shown.promise, signedIn, [Symbol.dispose]: () => stop.abort() };
}
