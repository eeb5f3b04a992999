import type { User } from "@backplane/contract/accounts";
import { initials } from "../../session/who.ts";

/** In the bars of a workspace. It loads the page: pages outside a workspace have another content policy. */
export const WhoLink = ({ user: { name } }: { user: User }) => (
  <a className="who" href="/account">
    <span className="avatar" aria-hidden="true">
      {initials(name)}
    </span>
    <span className="sr">{name}, your account</span>
  </a>
);
