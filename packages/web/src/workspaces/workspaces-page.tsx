import "./workspaces.css";
import type { User } from "@backplane/contract/accounts";
import type { WorkspaceList, WorkspaceSummary } from "@backplane/contract/panels";
import { type ReactNode, useRef, useState } from "react";
import { Link } from "react-router";
import { LoadFailed } from "../calls/load-failed.tsx";
import { usePolled } from "../calls/use-polled.ts";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/command.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useSearchKey } from "../parts/search-key.ts";
import { terminalCommand } from "../parts/terminal-command.ts";
import { useNow } from "../parts/use-now.ts";
import { useOpener } from "../parts/use-opener.ts";
import { SignedInPage } from "../session/signed-in-page.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { signInAddress } from "../sign-in/return-to.ts";
import { Invitations } from "./invitations.tsx";
import { NewWorkspaceForm } from "./new-workspace-form.tsx";
import { WorkspaceCard } from "./workspace-card.tsx";
import { searchWorkspaces, summaryOf } from "./workspace-name.ts";

const NAME = "Workspaces";

export function WorkspacesPage() {
  return (
    <SignedInPage name={NAME} head={<Head />} invitation={<SignInFirst />}>
      {(user) => <WorkspacesOf key={user.id} user={user} />}
    </SignedInPage>
  );
}

function Head({ summary, children }: { summary?: string | undefined; children?: ReactNode }) {
  return (
    <div className="page-head">
      <div>
        <PageTitle name={NAME} />
        <p>{summary ?? "Panels side by side, for you and for the programs you let in."}</p>
      </div>
      {children}
    </div>
  );
}

function SignInFirst() {
  return (
    <>
      <Head />
      <section className="card empty" aria-label="Sign in">
        <Icon name="person" />
        <h2>Sign in to see your workspaces</h2>
        <p>Your own, and those of your organisations.</p>
        <Link className="btn primary" to={signInAddress("/workspaces")}>
          Sign in
        </Link>
      </section>
    </>
  );
}

/** Programs and other people create workspaces, too. */
const POLL_EVERY_MS = 5_000;

function WorkspacesOf({ user }: { user: User }) {
  const { value, fault, reload } = usePolled<WorkspaceList>("/api/workspaces", POLL_EVERY_MS);
  const form = useOpener();
  const [search, setSearch] = useState("");
  const all = value?.workspaces ?? [];
  const found = searchWorkspaces(all, search);
  return (
    <>
      <Head summary={all.length === 0 ? undefined : summaryOf(all)}>
        <div className="workspaces-tools">
          {all.length > 0 && <SearchField value={search} onChange={setSearch} />}
          <Button
            ref={form.opener}
            {...(form.isOpen || value?.workspaces.length === 0 ? {} : { look: "primary" as const })}
            icon="plus"
            expanded={form.isOpen}
            onClick={form.open}
          >
            New workspace
          </Button>
        </div>
      </Head>
      <div className="workspaces">
        {form.isOpen && <NewWorkspaceForm user={user} onCancel={form.close} />}
        {fault && (
          <LoadFailed
            title={value ? "Workspaces may have changed." : "Workspaces could not be loaded."}
            fault={fault}
            onRetry={reload}
          />
        )}
        {value && <Invitations invitations={value.invitations} userName={user.name} onAnswered={reload} />}
        {!value && !fault && <Skeleton />}
        {found.length > 0 && <Cards workspaces={found} userName={user.name} onChanged={reload} />}
        {all.length > 0 && found.length === 0 && <NotFound search={search} onClear={() => setSearch("")} />}
        {value?.truncated === true && (
          <p className="small muted">Only the most recently changed workspaces are listed.</p>
        )}
        {value?.workspaces.length === 0 && !form.isOpen && <NoWorkspaces onMake={form.open} />}
      </div>
    </>
  );
}

type SearchProps = { value: string; onChange: (search: string) => void };

function SearchField({ value, onChange }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  useSearchKey(field);
  return (
    <search className="input workspaces-search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        value={value}
        placeholder="Search"
        aria-label="Search workspaces"
        aria-keyshortcuts="/"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      {value === "" && <kbd>/</kbd>}
    </search>
  );
}

function NotFound({ search, onClear }: { search: string; onClear: () => void }) {
  return (
    <section className="card empty" aria-label="Nothing found">
      <Icon name="search" />
      <h2>No workspace is called "{search.trim()}"</h2>
      <Button onClick={onClear}>Clear search</Button>
    </section>
  );
}

function Skeleton() {
  return (
    <div className="card loading workspaces-loading">
      <p className="sr" role="status">
        Loading workspaces
      </p>
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  );
}

function NoWorkspaces({ onMake }: { onMake: () => void }) {
  const command = terminalCommand("panel open webview --address https://example.org");
  return (
    <section className="card empty no-workspaces" aria-label="No workspaces">
      <Icon name="browser" />
      <h2>No workspaces yet</h2>
      <p>Create one, or let a program open a panel: that creates your workspace "main".</p>
      <div className="copy">
        <Command text={command} />
        <CopyButton text={command} />
      </div>
      <Button look="primary" onClick={onMake}>
        Create a workspace
      </Button>
    </section>
  );
}

const MINUTE_MS = 60_000;

type ListProps = { workspaces: readonly WorkspaceSummary[]; userName: string; onChanged: () => Promise<void> };

function Cards({ workspaces, userName, onChanged }: ListProps) {
  const now = useNow(MINUTE_MS);
  return (
    <div className="workspace-cards">
      {workspaces.map((workspace) => (
        <WorkspaceCard key={`${workspace.owner}/${workspace.repo}`} {...{ workspace, userName, now, onChanged }} />
      ))}
    </div>
  );
}
