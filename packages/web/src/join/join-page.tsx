import type { OpenInvitation } from "@backplane/contract/accounts";
import { useCallback, useEffect, useState } from "react";
import { Link } from "react-router";
import { call, type Fault } from "../calls/call.ts";
import { ends } from "../parts/times.ts";
import { useSession } from "../session/session.tsx";
import { CardSkeleton, OutcomeCard, SilentCard } from "../shell/cards.tsx";
import { JoinCard } from "./join-card.tsx";

const NAME = "Create an account";

type Checked = { is: "asking" } | { is: "good"; by: OpenInvitation } | { is: "bad"; fault: Fault };

/** Creates an account: by invitation, or freely where registration is open. */
export function JoinPage({ invitation }: { invitation: string | undefined }) {
  return invitation === undefined ? <OpenJoin /> : <InvitedJoin invitation={invitation} />;
}

function InvitedJoin({ invitation }: { invitation: string }) {
  const [checked, setChecked] = useState<Checked>({ is: "asking" });

  const check = useCallback(async () => {
    const answer = await call<OpenInvitation>({
      method: "POST",
      path: "/auth/invitations/check",
      body: { invitation },
    });
    setChecked(answer.ok ? { is: "good", by: answer.value } : { is: "bad", fault: answer.fault });
  }, [invitation]);

  useEffect(() => {
    void check();
  }, [check]);

  if (checked.is === "asking") return <CardSkeleton />;
  if (checked.is === "good") {
    const { invited_by: by, expires_at: expiresAt } = checked.by;
    return (
      <JoinCard
        name={NAME}
        lead={`${by} invites you to this Backplane. The invitation works once, until ${ends(new Date(expiresAt), new Date())}.`}
        invitation={invitation}
        onInvitationEnded={(fault) => setChecked({ is: "bad", fault })}
      />
    );
  }
  const { status } = checked.fault;
  return status === 0 || status >= 500 || status === 429 ? (
    <SilentCard name={NAME} fault={checked.fault} retry={check} />
  ) : (
    <EndedInvitation />
  );
}

const HaveAccount = () => (
  <div className="sect tight">
    <p className="dense muted">
      Have an account? <Link to="/auth/sign-in">Sign in</Link>
    </p>
  </div>
);

function EndedInvitation() {
  return (
    <OutcomeCard
      name="Invitation ended"
      title="This invitation no longer works"
      icon="link"
      line="It was used or revoked, has expired, or the link is incomplete. Ask the person who invited you for a new one."
    >
      <HaveAccount />
    </OutcomeCard>
  );
}

function OpenJoin() {
  const { who, options, refresh } = useSession();
  if (who.is === "silent") return <SilentCard name={NAME} retry={refresh} />;
  if (!options) return <CardSkeleton />;
  if (options.open_registration) return <JoinCard name={NAME} lead="It takes a minute." />;
  return (
    <OutcomeCard
      name="Invitation needed"
      title="You need an invitation to create an account"
      icon="link"
      line="Ask the owner of this Backplane for a link, then open it in this browser."
    >
      <HaveAccount />
    </OutcomeCard>
  );
}
