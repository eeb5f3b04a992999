import "./workspace.css";
import type { User } from "@backplane/contract/accounts";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Link, useParams } from "react-router";
import { Icon } from "../parts/icon.tsx";
import { useSession } from "../session/session.tsx";
import { SignedInPage } from "../session/signed-in-page.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { signInAddress } from "../sign-in/return-to.ts";
import { type WorkspaceName, workspaceAddress } from "./calls.ts";
import { Closed } from "./closed.tsx";
import { Refused } from "./refused.tsx";
import { type Session, useLive } from "./use-live.ts";
import { useOwnDocument } from "./use-own-document.ts";
import { WorkspaceView } from "./workspace-view.tsx";

export function WorkspacePage() {
  const { owner = "", repo = "" } = useParams();
  const workspace = useMemo(() => ({ owner, repo }), [owner, repo]);
  const isOwn = useOwnDocument();
  const name = `${owner}/${repo}`;
  if (!isOwn) return null;
  return (
    <SignedInPage
      name={name}
      head={
        <div className="page-head workspace-silent">
          <PageTitle name={name} />
        </div>
      }
      invitation={<SignInFirst workspace={workspace} />}
    >
      {(user) => <WorkspaceOf key={`${user.id} ${name}`} workspace={workspace} user={user} />}
    </SignedInPage>
  );
}

function SignInFirst({ workspace }: { workspace: WorkspaceName }) {
  const name = `${workspace.owner}/${workspace.repo}`;
  return (
    <Closed>
      <Icon name="person" />
      <PageTitle name={name}>Sign in to open {name}</PageTitle>
      <p>Workspaces are for their owners: a person, or the people of an organisation.</p>
      <Link className="btn primary" to={signInAddress(workspaceAddress(workspace))}>
        Sign in
      </Link>
    </Closed>
  );
}

function WorkspaceOf({ workspace, user }: { workspace: WorkspaceName; user: User }) {
  const [attempt, setAttempt] = useState(0);
  return (
    <Connected key={attempt} workspace={workspace} user={user} onRetry={() => setAttempt((before) => before + 1)} />
  );
}

type ConnectedProps = { workspace: WorkspaceName; user: User; onRetry: () => void };

function Connected({ workspace, user, onRetry }: ConnectedProps) {
  const session = useLive(workspace);
  return session && <Opened {...{ workspace, user, onRetry }} session={session} />;
}

/** What the server says: in, or why not. */
function Opened({ workspace, user, session, onRetry }: ConnectedProps & { session: Session }) {
  const { ask } = useSession();
  const { connection, fault } = useSyncExternalStore(session.live.subscribe, session.live.state);
  const isRefused = connection === "refused";

  // The session may have ended: then the page asks to sign in.
  useEffect(() => {
    if (isRefused) void ask();
  }, [isRefused, ask]);

  if (!isRefused) return <WorkspaceView workspace={workspace} user={user} session={session} />;
  return <Refused workspace={workspace} userName={user.name} fault={fault} onRetry={onRetry} />;
}
