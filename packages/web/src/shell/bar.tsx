import { useState } from "react";
import { Link, NavLink, useLocation } from "react-router";
import { Icon } from "../parts/icon.tsx";
import { useSession } from "../session/session.tsx";
import { initials } from "../session/who.ts";
import { signInAddress } from "../sign-in/return-to.ts";
import { Mark } from "./mark.tsx";
import { applyTheme, nextTheme, rememberTheme, type Theme, themeLabel, themeOf } from "./theme.ts";

export function Bar() {
  return (
    <header className="bar">
      <Link className="brand" to="/" aria-label="Backplane, overview">
        <Mark />
        <span className="wide">Backplane</span>
      </Link>
      <nav aria-label="Main">
        <NavLink to="/" end>
          Overview
        </NavLink>
        <NavLink to="/workspaces">Workspaces</NavLink>
        <NavLink to="/packages">Packages</NavLink>
        <NavLink to="/account">Account</NavLink>
      </nav>
      <ThemeSwitch />
      <WhoLink />
    </header>
  );
}

function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(() => themeOf(document.documentElement));
  const label = themeLabel(theme);

  const switchTheme = () => {
    const next = nextTheme(theme);
    applyTheme(document.documentElement, next);
    setTheme(next);
    try {
      rememberTheme(localStorage, next);
    } catch {
      // Storage is blocked: the choice lasts until the page is left.
    }
  };

  return (
    <button className="icon-btn" type="button" aria-label={label} title={label} onClick={switchTheme}>
      <Icon name={theme} />
    </button>
  );
}

/** Who is signed in, or a link to sign in; nothing while that is unknown. */
function WhoLink() {
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
