import { Link, NavLink } from "react-router";
import { Mark } from "./mark.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { WhoLink } from "./who-link.tsx";

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
