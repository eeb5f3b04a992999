import "./account.css";
import type { User } from "@backplane/contract/accounts";
import { Fragment, type MouseEvent, useEffect, useState } from "react";
import { useLocation, useSearchParams } from "react-router";
import { useWork } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { useSession } from "../session/session.tsx";
import { SignedInPage } from "../session/signed-in-page.tsx";
import { membershipWords } from "../session/who.ts";
import { PageTitle } from "../shell/page-title.tsx";
import { SignInCard } from "../sign-in/sign-in-card.tsx";
import { openidFault } from "../sign-in/sign-in-faults.ts";
import { API_KEYS, ApiKeysSection } from "./api-keys-section.tsx";
import { APPROVALS, ApprovalsSection } from "./approvals-section.tsx";
import { COMPANY, CompanySection } from "./company-section.tsx";
import { ORGANISATIONS, OrganisationsSection } from "./organisations-section.tsx";
import { PASSKEYS, PasskeysSection } from "./passkeys-section.tsx";
import { PASSWORD, PasswordSection } from "./password-section.tsx";
import { PEOPLE, PeopleSection } from "./people-section.tsx";
import { PROFILE, ProfileSection } from "./profile-section.tsx";
import { focusSection, type SectionInfo } from "./section.tsx";
import { SESSIONS, SessionsSection } from "./sessions-section.tsx";
import { SIGNING_KEY, SigningKeySection } from "./signing-key-section.tsx";
import { USAGE, UsageSection } from "./usage-section.tsx";

const NAME = "Account";

export function AccountPage() {
  const head = (
    <div className="page-head">
      <PageTitle name={NAME} />
    </div>
  );
  const invitation = (
    <SignInCard
      heading={<PageTitle name={NAME}>Sign in to see your account</PageTitle>}
      lead="Sessions, API keys and passkeys that act in your name."
      returnTo="/account"
    />
  );
  return (
    <SignedInPage name={NAME} head={head} invitation={invitation}>
      {(user) => <AccountOf key={user.id} user={user} />}
    </SignedInPage>
  );
}

function AccountOf({ user }: { user: User }) {
  const { refresh, options, signOut } = useSession();
  const { busy, run } = useWork();
  const [search] = useSearchParams();
  const provider = options?.openid?.name;
  const { name, email, is_owner: isOwner } = user;
  const fault = openidFault(search.get("fault"), provider);
  const sections = [
    { ...SESSIONS, part: <SessionsSection /> },
    { ...API_KEYS, part: <ApiKeysSection /> },
    { ...PASSKEYS, part: <PasskeysSection /> },
    { ...PROFILE, part: <ProfileSection user={user} /> },
    { ...PASSWORD, part: <PasswordSection userName={name} /> },
    { ...USAGE, part: <UsageSection user={user} /> },
    { ...COMPANY, part: provider !== undefined && <CompanySection provider={provider} before={fault} /> },
    { ...APPROVALS, part: <ApprovalsSection /> },
    { ...ORGANISATIONS, part: <OrganisationsSection userName={name} onChanged={refresh} /> },
    { ...PEOPLE, part: isOwner && <PeopleSection userName={name} /> },
    { ...SIGNING_KEY, part: isOwner && <SigningKeySection /> },
  ].filter(({ part }) => part);
  const { hash } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sections are made again at every look.
  useEffect(() => {
    const section = sections.find(({ id }) => hash === `#${id}`);
    if (section) goTo(section);
  }, [hash]);
  return (
    <>
      <div className="page-head account-head">
        <div>
          <PageTitle name={NAME}>{name}</PageTitle>
          <p>{[email, membershipWords(user.organisations)].filter(Boolean).join(" · ")}</p>
        </div>
        <Button busy={busy} onClick={() => run(signOut)}>
          Sign out
        </Button>
      </div>
      <div className="account">
        <SideNav sections={sections} />
        <div className="parts">
          {sections.map(({ id, part }) => (
            <Fragment key={id}>{part}</Fragment>
          ))}
        </div>
      </div>
    </>
  );
}

/** The section in the upper third of the window counts as the current one. */
const CURRENT = { rootMargin: "-8% 0px -67% 0px" };

function useCurrentSection(sections: readonly SectionInfo[]): string | undefined {
  const ids = sections.map(({ id }) => id).join(" ");
  const [current, setCurrent] = useState(sections[0]?.id);

  useEffect(() => {
    const seen = new Set<string>();
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target.id);
        else seen.delete(target.id);
      }
      const first = ids.split(" ").find((id) => seen.has(id));
      if (first !== undefined) setCurrent(first);
    }, CURRENT);
    for (const id of ids.split(" ")) {
      const element = document.getElementById(id);
      if (element) observer.observe(element);
    }
    return () => observer.disconnect();
  }, [ids]);

  return current;
}

function goTo(section: SectionInfo): void {
  document.getElementById(section.id)?.scrollIntoView({ block: "start" });
  focusSection(section);
}

/** The sections of the page; the one that is looked at is marked. */
function SideNav({ sections }: { sections: readonly SectionInfo[] }) {
  const current = useCurrentSection(sections);

  const go = (section: SectionInfo) => (event: MouseEvent) => {
    // The fragment would be a step of the router, which puts the focus on the title of the page.
    event.preventDefault();
    goTo(section);
  };

  return (
    <nav className="side" aria-label="Account">
      {sections.map((section) => (
        <a
          key={section.id}
          href={`#${section.id}`}
          aria-current={section.id === current ? "true" : undefined}
          onClick={go(section)}
        >
          {section.title}
        </a>
      ))}
    </nav>
  );
}
