import type { User } from "@backplane/contract/accounts";
import type { ReactNode } from "react";
import { Note } from "../parts/note.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import { useSession } from "./session.tsx";

type SignedInPageProps = {
  name: string;
  /** The head of the page while the user is unknown. */
  head: ReactNode;
  /** Shown to people who are not signed in. */
  invitation: ReactNode;
  children: (user: User) => ReactNode;
};

/** A page for a signed-in user; it says so when Backplane does not answer. */
export function SignedInPage({ name, head, invitation, children }: SignedInPageProps) {
  const { who, refresh } = useSession();
  switch (who.is) {
    case "asking":
      return (
        <div className="sr">
          <PageTitle name={name} />
        </div>
      );
    case "silent":
      return (
        <>
          {head}
          <Note tone="danger" role="alert">
            <strong>Backplane does not answer.</strong> Check that it is running and that you are connected, then{" "}
            <button className="link" type="button" onClick={refresh}>
              try again
            </button>
            .
          </Note>
        </>
      );
    case "out":
      return invitation;
    case "in":
      return children(who.user);
  }
}
