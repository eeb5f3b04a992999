import { INTENT_LIFE_MS, type IntentRequest } from "@backplane/contract/intents";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Command } from "../parts/command.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { terminalCommand } from "../parts/terminal-command.ts";
import { clock, ends, longDate } from "../parts/times.ts";
import { OutcomeCard } from "../shell/cards.tsx";

type Ending = { request: IntentRequest | undefined };

/** The program's name, or another word for it. */
function Program({ request, otherwise }: Ending & { otherwise: string }) {
  const name = request?.app_name;
  return name ? <bdi>{name}</bdi> : otherwise;
}

function Foot({ children }: { children: ReactNode }) {
  return (
    <div className="sect tight">
      <p className="dense muted">{children}</p>
    </div>
  );
}

const CheckSessions = () => <Link to="/account">Check your sessions</Link>;

function DoneCard({ request }: Ending) {
  const [only, ...others] = request?.callers ?? [];
  return (
    <OutcomeCard
      name="Signed in"
      title={
        <>
          <Program request={request} otherwise="The program" /> is signed in
        </>
      }
      icon="check"
      tone="ok"
      line="Go back to the program; it continues by itself. You can close this window."
    >
      {request && (
        <div className="sect tight">
          <dl className="facts">
            <dt>Session</dt>
            <dd>Application, until {ends(new Date(request.session_ends_at), new Date(), longDate)}</dd>
            {only && others.length === 0 && (
              <>
                <dt>From</dt>
                <dd>{only.address}</dd>
              </>
            )}
          </dl>
        </div>
      )}
      <Foot>
        Changed your mind? <Link to="/account">End this session</Link> on your account page.
      </Foot>
    </OutcomeCard>
  );
}

function UsedCard({ request }: Ending) {
  return (
    <OutcomeCard
      name="Link already used"
      title="This link was already used"
      icon="check"
      line={
        <>
          <Program request={request} otherwise="The program" /> was approved before, and a link works once. There is
          nothing left to do here; you can close this window.
        </>
      }
    >
      <Foot>
        Was it not you? <CheckSessions /> and end the ones you do not know.
      </Foot>
    </OutcomeCard>
  );
}

function DeniedCard({ request }: Ending) {
  return (
    <OutcomeCard
      name="Denied"
      title="Sign-in denied"
      icon="denied"
      line={
        <>
          <Program request={request} otherwise="The program" /> was not signed in. You can close this window.
        </>
      }
    >
      <Foot>
        If you did not start this, someone else may know the link. <CheckSessions />.
      </Foot>
    </OutcomeCard>
  );
}

function StartAgain() {
  const command = terminalCommand("login");
  return (
    <div className="sect tight">
      <p className="dense start-again">Start again from the program. For the backplane command:</p>
      <div className="copy">
        <Command text={command} />
        <CopyButton text={command} />
      </div>
    </div>
  );
}

function ExpiredCard({ request }: Ending) {
  const ended = request ? `; this one ended at ${clock(new Date(request.expires_at), new Date())}` : "";
  return (
    <OutcomeCard
      name="Link expired"
      title="This link has expired"
      icon="clock"
      line={`Sign-in links work for ${INTENT_LIFE_MS / 60_000} minutes${ended}. Nothing was approved.`}
    >
      <StartAgain />
    </OutcomeCard>
  );
}

const cards = { done: DoneCard, used: UsedCard, denied: DeniedCard, expired: ExpiredCard };

/** How a request ended. */
export function EndedCard({ how, request }: Ending & { how: keyof typeof cards }) {
  const Card = cards[how];
  return <Card request={request} />;
}

export function UnknownLinkCard() {
  return (
    <OutcomeCard
      name="Unknown link"
      title="No program is waiting on this link"
      icon="link"
      line="The link may be incomplete or old. Open the whole link, as the program shows it. Nothing was approved."
    >
      <StartAgain />
    </OutcomeCard>
  );
}

export function NoLinkCard() {
  return (
    <OutcomeCard
      name="No link"
      title="Open the link from your program"
      icon="link"
      line="This page is for approving a program that wants to sign in, but it was opened without the program's link."
    >
      <StartAgain />
    </OutcomeCard>
  );
}
