import type { SignInOptions, User } from "@backplane/contract/accounts";
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Answer, call } from "../calls/call.ts";
import { type Who, whoFrom } from "./who.ts";

type Session = {
  who: Who;
  /** What the sign-in page offers; undefined until it is known. */
  options: SignInOptions | undefined;
  /** Checks again who is signed in. */
  refresh: () => Promise<void>;
  signOut: () => Promise<Answer<unknown>>;
};

const SessionContext = createContext<Session | undefined>(undefined);

/** Who is signed in, and what the sign-in page offers. */
export type Asked = Pick<Session, "who" | "options">;

export async function askWho(): Promise<Asked> {
  const offered = await call<SignInOptions>({ method: "GET", path: "/auth/options" });
  // Skipped when nobody is signed in: browsers log every 401 as an error.
  const user =
    offered.ok && offered.value.signed_in === false ? undefined : await call<User>({ method: "GET", path: "/user" });
  return { options: offered.ok ? offered.value : undefined, who: whoFrom(offered, user) };
}

type ProviderProps = {
  /** Known from the document; or asked before anything is drawn, so that it is known soon after. */
  asked: Asked | Promise<Asked>;
  children: ReactNode;
};

/** Who is signed in, known to every page. */
export function SessionProvider({ asked, children }: ProviderProps) {
  const [who, setWho] = useState<Who>(asked instanceof Promise ? { is: "asking" } : asked.who);
  const [options, setOptions] = useState<SignInOptions>();
  const last = useRef(0);

  const hear = useCallback(async (answer: Promise<Asked>) => {
    const number = ++last.current;
    const { who, options } = await answer;
    if (number !== last.current) return;
    if (options) setOptions(options);
    setWho(who);
  }, []);
  const refresh = useCallback(() => hear(askWho()), [hear]);

  const signOut = useCallback(async () => {
    const answer = await call({ method: "DELETE", path: "/auth/logout" });
    if (answer.ok || answer.fault.status === 401) setWho({ is: "out" });
    return answer;
  }, []);

  useEffect(() => {
    if (asked instanceof Promise) void hear(asked);
  }, [hear, asked]);

  // When a tab becomes visible again, it notices a sign-in or sign-out in another tab.
  useEffect(() => {
    const look = () => {
      if (!document.hidden) void refresh();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [refresh]);

  const session = useMemo(() => ({ who, options, refresh, signOut }), [who, options, refresh, signOut]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error("useSession needs a SessionProvider above it");
  return session;
}
