import { useEffect } from "react";
import { Link, useSearchParams } from "react-router";
import { Note } from "../parts/note.tsx";
import { useSession } from "../session/session.tsx";
import { CardSkeleton, CardTitle, SilentCard } from "../shell/cards.tsx";
import { safeReturnTo } from "./return-to.ts";
import { SignInCard } from "./sign-in-card.tsx";
import { openidFault } from "./sign-in-faults.ts";

const NAME = "Sign in";

/** A page load, not a router link: the address may not be a page of this app. */
const go = (address: string) => window.location.replace(address);

export function SignInPage() {
  const { who, options, refresh } = useSession();
  const [search] = useSearchParams();
  const returnTo = safeReturnTo(search.get("return_to"), window.location.origin);
  const fault = openidFault(search.get("fault"), options?.openid?.name);
  const leaves = who.is === "in" && fault === undefined;

  useEffect(() => {
    if (leaves) go(returnTo);
  }, [leaves, returnTo]);

  if (who.is === "asking" || leaves) return <CardSkeleton />;
  if (who.is === "silent") return <SilentCard name={NAME} retry={refresh} />;
  if (who.is === "in") return <StillSignedIn fault={fault} name={who.user.name} returnTo={returnTo} />;
  return (
    <SignInCard
      heading={
        <CardTitle name={NAME} takesFocus={false}>
          Sign in
        </CardTitle>
      }
      lead="To your account on this Backplane."
      returnTo={returnTo}
      before={fault}
      autoFocus
    >
      <p className="dense muted">
        Forgot your password? Ask the owner of this Backplane for a link to choose a new one.
      </p>
      {options?.open_registration === true && (
        <p className="dense muted">
          No account yet? <Link to="/auth/join">Create an account</Link>
        </p>
      )}
    </SignInCard>
  );
}

/** The provider's sign-in failed, but the user is already signed in. */
function StillSignedIn({ fault, name, returnTo }: { fault: string | undefined; name: string; returnTo: string }) {
  return (
    <section className="card">
      <div className="sect head">
        <CardTitle name={NAME}>You are signed in as {name}</CardTitle>
      </div>
      <div className="sect form">
        <Note tone="warn">{fault}</Note>
        <a className="btn large" href={returnTo}>
          Continue
        </a>
      </div>
    </section>
  );
}
