import "./account.css";
import type { User } from "@backplane/contract/accounts";
import { useSearchParams } from "react-router";
import { useWork } from "../calls/use-work.ts";
import { Button } from "../parts/button.tsx";
import { useSession } from "../session/session.tsx";
import { SignedInPage } from "../session/signed-in-page.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { SignInCard } from "../sign-in/sign-in-card.tsx";
import { openidFault } from "../sign-in/sign-in-faults.ts";
import { ApiKeysSection } from "./api-keys-section.tsx";
import { ApprovalsSection } from "./approvals-section.tsx";
import { CompanySection } from "./company-section.tsx";
import { membershipWords } from "./membership-words.ts";
import { OrganisationsSection } from "./organisations-section.tsx";
import { partsFor } from "./parts-of-account.ts";
import { PasskeysSection } from "./passkeys-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { PeopleSection } from "./people-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { SideNav } from "./side-nav.tsx";

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
  const { ask, options, signOut } = useSession();
  const { busy, run } = useWork();
  const [search] = useSearchParams();
  const provider = options?.openid?.name;
  const { name, email, is_owner: isOwner } = user;
  const parts = partsFor({ isOwner, hasCompany: provider !== undefined });
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
        <SideNav parts={parts} />
        <div className="parts">
          <SessionsSection />
          <ApiKeysSection />
          <PasskeysSection />
          <ProfileSection user={user} />
          <PasswordSection userName={name} />
          {provider !== undefined && (
            <CompanySection provider={provider} before={openidFault(search.get("fault"), provider)} />
          )}
          <ApprovalsSection />
          <OrganisationsSection userName={name} onChanged={ask} />
          {isOwner && <PeopleSection userName={name} />}
        </div>
      </div>
    </>
  );
}
