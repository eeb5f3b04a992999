import "./workspace-frame.css";
import type { User } from "@backplane/contract/accounts";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { Link, useLocation, useParams } from "react-router";
import { SignedInPage } from "../../session/signed-in-page.tsx";
import { Mark } from "../../shell/mark.tsx";
import { FirstLocation, PageTitle } from "../../shell/page-title.tsx";
import { signInAddress } from "../../sign-in/return-to.ts";
import { type WorkspaceName, workspaceAddress } from "../calls.ts";
import { Closed } from "../closed.tsx";
import { useDevicesStatus } from "../device-panel/use-devices.ts";
import type { Devices, OpenDevices } from "../devices/devices.ts";
import { lazyDevices } from "../devices/lazy-devices.ts";
import { StopBanner } from "../devices-bar/stop-banner.tsx";
import { WhoLink } from "../parts/who-link.tsx";

const PAGES = { recordings: "Recordings", devices: "Devices" } as const;

type Props = {
  page: keyof typeof PAGES;
  children: (workspace: WorkspaceName, opened: OpenDevices, user: User) => ReactNode;
};

/** A page of a workspace besides its panels. */
export function WorkspaceFrame({ page, children }: Props) {
  const { owner = "", repo = "" } = useParams();
  const workspace = useMemo(() => ({ owner, repo }), [owner, repo]);
  const name = PAGES[page];
  // Links lead here by loading the page: it never moves the focus to its heading.
  const location = useLocation();
  return (
    <FirstLocation value={location}>
      <SignedInPage
        name={name}
        head={
          <div className="page-head">
            <PageTitle name={name} />
          </div>
        }
        invitation={
          <Closed>
            <PageTitle name={name}>
              Sign in to see the {name.toLowerCase()} of {owner}/{repo}
            </PageTitle>
            <Link className="btn primary" to={signInAddress(`${workspaceAddress(workspace)}/${page}`)}>
              Sign in
            </Link>
          </Closed>
        }
      >
        {(user) => <Framed key={`${user.id} ${owner}/${repo}`} {...{ page, workspace, user, children }} />}
      </SignedInPage>
    </FirstLocation>
  );
}

function Framed({ page, workspace, user, children }: Props & { workspace: WorkspaceName; user: User }) {
  const [opened, setOpened] = useState<OpenDevices>();
  useEffect(() => {
    const lazy = lazyDevices(workspace);
    lazy.open().then(setOpened, reportError);
    return () => {
      lazy.close();
      setOpened(undefined);
    };
  }, [workspace]);
  return (
    <div className="workspace-frame">
      <Bar {...{ page, workspace, user }} />
      {opened && <StopBanner devices={opened.devices} />}
      <main className="page">
        {opened ? (
          <Connected devices={opened.devices} name={PAGES[page]}>
            {children(workspace, opened, user)}
          </Connected>
        ) : (
          <PageTitle name={PAGES[page]} />
        )}
      </main>
    </div>
  );
}

/** Its links load the page: that of the panels has another content policy. */
function Bar({ page, workspace, user }: { page: Props["page"]; workspace: WorkspaceName; user: User }) {
  const address = workspaceAddress(workspace);
  return (
    <header className="bar">
      <a className="brand" href="/" aria-label="Backplane, overview">
        <Mark />
      </a>
      <p className="frame-crumb">
        <span className="frame-owner">{workspace.owner} / </span>
        <b className="cut">{workspace.repo}</b>
      </p>
      <nav aria-label="Workspace">
        <a href={address}>Panels</a>
        {Object.entries(PAGES).map(([path, name]) => (
          <a key={path} href={`${address}/${path}`} aria-current={path === page ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <WhoLink user={user} />
    </header>
  );
}

function Connected({ devices, name, children }: { devices: Devices; name: string; children: ReactNode }) {
  const { connection, detail } = useDevicesStatus(devices);
  if (connection !== "refused") return children;
  return (
    <Closed>
      <PageTitle name={name}>{name} cannot be shown</PageTitle>
      <p>{detail ?? "Backplane refused the connection."}</p>
      <a className="btn" href="/workspaces">
        Go to your workspaces
      </a>
    </Closed>
  );
}
