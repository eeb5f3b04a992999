import { useCallback, useState } from "react";
import { Link, NavLink, useLocation, useNavigate } from "react-router";
import { Icon } from "../parts/icon.tsx";
import { useSession } from "../session/session.tsx";
import { initials } from "../session/who.ts";
import { signInAddress } from "../sign-in/return-to.ts";
import { Menu } from "../workspace/parts/menu.tsx";
import { Mark } from "./mark.tsx";
import { applyTheme, nextTheme, rememberTheme, type Theme, themeLabel, themeOf } from "./theme.ts";

type Section = { to: string; name: string };

const SECTIONS: readonly Section[] = [
  { to: "/", name: "Overview" },
  { to: "/workspaces", name: "Workspaces" },
  { to: "/packages", name: "Packages" },
];
const SYSTEM: Section = { to: "/system", name: "System" };
const ACCOUNT: Section = { to: "/account", name: "Account" };

export function Bar() {
  const { who } = useSession();
  const isOwner = who.is === "in" && who.user.is_owner;
  const sections = [...SECTIONS, ...(isOwner ? [SYSTEM] : []), ACCOUNT];
  return (
    <header className="bar">
      <Link className="brand" to="/" aria-label="Backplane, overview">
        <Mark />
        <span className="wide">Backplane</span>
      </Link>
      <nav aria-label="Main" className={isOwner ? "wide-nav" : undefined}>
        {sections.map(({ to, name }) => (
          <NavLink key={to} to={to} end={to === "/"}>
            {name}
          </NavLink>
        ))}
      </nav>
      {isOwner && <SectionMenu sections={sections} />}
      <ThemeSwitch />
      <WhoLink />
    </header>
  );
}

/** On narrow screens, where the sections of an owner do not fit: the name of the open one is a button that lists them. */
function SectionMenu({ sections }: { sections: readonly Section[] }) {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const close = useCallback(() => setAnchor(undefined), []);
  const isOpen = ({ to }: Section) => (to === "/" ? pathname === "/" : pathname.startsWith(to));
  return (
    <>
      <button
        className="narrow-nav"
        type="button"
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        onClick={({ currentTarget }) => setAnchor(anchor ? undefined : currentTarget)}
      >
        {sections.find(isOpen)?.name ?? "Sections"}
        <Icon name="down" />
      </button>
      {anchor && (
        <Menu
          label="Sections"
          anchor={anchor}
          items={sections.map((section) => ({
            ...{ label: section.name, isCurrent: isOpen(section) },
            onSelect: () => void navigate(section.to),
          }))}
          onClose={close}
        />
      )}
    </>
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
