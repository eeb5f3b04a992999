import "./approve.css";
import { useEffect } from "react";
import { useSession } from "../session/session.tsx";
import { CardSkeleton, CardTitle, SilentCard } from "../shell/cards.tsx";
import { SignInCard } from "../sign-in/sign-in-card.tsx";
import { EndedCard, NoLinkCard, UnknownLinkCard } from "./endings.tsx";
import { RequestCard } from "./request-card.tsx";
import { useRequest } from "./use-request.ts";

const NAME = "Approve a sign-in";

/** A person approves or denies a program that wants to sign in. Only a click decides. */
export function ApprovePage({ token }: { token: string | undefined }) {
  const { who, refresh } = useSession();
  if (token === undefined) return <NoLinkCard />;
  switch (who.is) {
    case "asking":
      return <CardSkeleton />;
    case "silent":
      return <SilentCard name={NAME} retry={refresh} />;
    case "out":
      return (
        <SignInCard
          heading={<CardTitle name={NAME}>Sign in to review a request</CardTitle>}
          lead="A program asks to sign in as you. Signing in here does not approve it."
          returnTo="/auth/intent"
        />
      );
    case "in":
      return <Answering key={`${token} ${who.user.id}`} token={token} userName={who.user.name} />;
  }
}

function Answering({ token, userName }: { token: string; userName: string }) {
  const { refresh } = useSession();
  const { view, behindMs, decide, askAgain } = useRequest(token);
  const signedOut = view.is === "signed-out";

  useEffect(() => {
    if (signedOut) void refresh();
  }, [signedOut, refresh]);

  switch (view.is) {
    case "loading":
    case "signed-out":
      return <CardSkeleton />;
    case "silent":
      return <SilentCard name={NAME} fault={view.fault} retry={askAgain} />;
    case "unknown":
      return <UnknownLinkCard />;
    case "asking":
      return (
        <RequestCard
          request={view.request}
          stale={view.stale}
          userName={userName}
          behindMs={behindMs}
          decide={decide}
          name={NAME}
        />
      );
    default:
      return <EndedCard how={view.is} request={view.request} />;
  }
}
