import { Link, useLocation } from "react-router";
import { useSession } from "../session/session.tsx";
import { initials } from "../session/who.ts";
import { signInAddress } from "../sign-in/return-to.ts";

/** Who is signed in, or the way to sign in; nothing while that is not known. */
export function WhoLink() {
  const { who } = useSession();
  const { pathname, search } = useLocation();
  if (who.is === "in") {
    const { name } = who.user;
    return (
      <Link className="who" to="/account">
        <span className="avatar" aria-hidden="true">
          {initials(name)}
        </span>
        <span className="who-name">
          {name}
          <span className="sr">, your account</span>
        </span>
      </Link>
    );
  }
  if (who.is !== "out" || pathname === "/account") return null;
  return (
    <Link className="who" to={signInAddress(pathname + search)}>
      Sign in
    </Link>
  );
}
