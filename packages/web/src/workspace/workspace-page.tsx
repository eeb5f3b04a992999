import "./workspace.css";
import type { User } from "@backplane/contract/accounts";
import type { CatalogAnswer, Opening } from "@backplane/contract/panels";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { type Resource, useResource } from "../calls/use-resource.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useSession } from "../session/session.tsx";
import { SignedInPage } from "../session/signed-in-page.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { signInAddress } from "../sign-in/return-to.ts";
import { type WorkspaceName, workspaceAddress } from "./calls.ts";
import { Closed } from "./closed.tsx";
import { MissingWorkspace } from "./missing/missing-workspace.tsx";
import { type LiveSession, useLive } from "./use-workspace.ts";
import { WorkspaceView } from "./workspace-view.tsx";

/** `opening`: what the document has for the workspace of its address, and the person who was signed in. */
export function WorkspacePage({ opening }: { opening?: Opening | undefined }) {
  const { owner = "", repo = "" } = useParams();
  const workspace = useMemo(() => ({ owner, repo }), [owner, repo]);
  const isOwn = useOwnDocument();
  const name = `${owner}/${repo}`;
  const [first] = useState(name);
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
      {(user) => (
        <WorkspaceOf
          key={`${user.id} ${name}`}
          {...{ workspace, user }}
          opening={name === first && user.id === opening?.user.id ? opening : undefined}
        />
      )}
    </SignedInPage>
  );
}

function SignInFirst({ workspace }: { workspace: WorkspaceName }) {
  const name = `${workspace.owner}/${workspace.repo}`;
  return (
    <Closed>
      <Icon name="person" />
      <PageTitle name={name}>Sign in to open {name}</PageTitle>
      <p>
        A workspace is open to its owner, a person or the members of an organisation, and to those it is shared with.
      </p>
      <Link className="btn primary" to={signInAddress(workspaceAddress(workspace))}>
        Sign in
      </Link>
    </Closed>
  );
}

type OpenedProps = { workspace: WorkspaceName; user: User; opening: Opening | undefined };

function WorkspaceOf({ workspace, user, opening }: OpenedProps) {
  const [attempt, setAttempt] = useState(0);
  return (
    <Connected
      key={attempt}
      {...{ workspace, user }}
      opening={attempt === 0 ? opening : undefined}
      onRetry={() => setAttempt((before) => before + 1)}
    />
  );
}

type ConnectedProps = { workspace: WorkspaceName; user: User; onRetry: () => void };

function Connected({ workspace, user, opening, onRetry }: ConnectedProps & OpenedProps) {
  const session = useLive(workspace, opening?.layout);
  // Beside the connection: names and icons of tabs come from it.
  const catalog = useResource<CatalogAnswer>("/api/panels/catalog", opening?.catalog);
  return session && <ConnectedView {...{ workspace, user, session, catalog, onRetry }} />;
}

type ConnectedViewProps = ConnectedProps & { session: LiveSession; catalog: Resource<CatalogAnswer> };

function ConnectedView({ workspace, user, session, catalog, onRetry }: ConnectedViewProps) {
  const { refresh } = useSession();
  const { connection, renamedTo, fault } = useSyncExternalStore(session.live.subscribe, session.live.state);
  const navigate = useNavigate();
  const isRefused = connection === "refused";

  // The session may have ended: the page then asks to sign in.
  useEffect(() => {
    if (isRefused) void refresh();
  }, [isRefused, refresh]);

  useEffect(() => {
    if (renamedTo) void navigate(workspaceAddress(renamedTo), { replace: true });
  }, [renamedTo, navigate]);

  if (!isRefused) return <WorkspaceView {...{ workspace, user, session, catalog }} />;
  const wasRemoved = fault?.code === "not-found";
  if (wasRemoved || fault?.code === "workspace-unknown")
    return <MissingWorkspace workspace={workspace} wasRemoved={wasRemoved} onCreated={onRetry} />;
  return <Refused workspace={workspace} userName={user.name} fault={fault} onRetry={onRetry} />;
}

type RefusedProps = {
  workspace: WorkspaceName;
  userName: string;
  fault: { code: string; detail: string } | undefined;
  onRetry: () => void;
};

const wordsFor = (code: string | undefined): { name: string; icon: IconName } =>
  code === "workspace-not-yours"
    ? { name: "Not your workspace", icon: "denied" }
    : { name: "This workspace cannot be shown", icon: "warning" };

/** Why a workspace is not shown, and what to do. */
function Refused({ workspace: { owner, repo }, userName, fault, onRetry }: RefusedProps) {
  const isForeign = fault?.code === "workspace-not-yours";
  const { name, icon } = wordsFor(fault?.code);
  return (
    <Closed>
      <Icon name={icon} />
      <PageTitle name={name} />
      {isForeign ? (
        <p>
          {owner}/{repo} belongs to somebody else, or does not exist. You are signed in as {userName}. Ask its owner to
          share it with you, or to add you to the organisation; or check the address.
        </p>
      ) : (
        <p>{fault?.detail ?? "Backplane refused the connection."}</p>
      )}
      <div className="row">
        {!isForeign && (
          <button className="btn" type="button" onClick={onRetry}>
            Try again
          </button>
        )}
        <a className="btn" href="/workspaces">
          Go to your workspaces
        </a>
      </div>
    </Closed>
  );
}

/**
 * Only a document that was loaded at the address of a workspace may show frames: the policy comes with the document. After
 * a navigation inside the app the page is loaded again.
 */
function useOwnDocument(): boolean {
  const [isOwn] = useState(() => {
    const [load] = performance.getEntriesByType("navigation");
    return load === undefined || new URL(load.name).pathname.startsWith("/w/");
  });

  useEffect(() => {
    if (!isOwn) window.location.reload();
  }, [isOwn]);

  return isOwn;
}
