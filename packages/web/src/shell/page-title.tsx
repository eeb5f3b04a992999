import { createContext, type ReactNode, use, useEffect, useRef } from "react";
import { type Location, useLocation, useNavigationType } from "react-router";

type Props = {
  /** The document's title, and the heading unless there are children. */
  name: string;
  children?: ReactNode;
  /** The heading shows a state: announce changes. */
  live?: boolean;
};

/** The heading of a page. Takes the focus after a navigation, so that keyboard and screen reader continue there. */
export function PageTitle({ name, children, live = false }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const location = useLocation();
  const firstLocation = use(FirstLocation);
  const navigation = useNavigationType();

  useEffect(() => {
    document.title = `${name} · Backplane`;
  }, [name]);

  useEffect(() => {
    if (location === firstLocation) return;
    heading.current?.focus({ preventScroll: true });
    // On back and forward the browser restores the scroll position.
    if (navigation !== "POP") window.scrollTo(0, 0);
  }, [location, firstLocation, navigation]);

  return (
    <h1 ref={heading} tabIndex={-1} aria-live={live ? "polite" : undefined}>
      {children ?? name}
    </h1>
  );
}

/** The location the app was opened at. Opening it does not move the focus; navigating away and back does. */
export const FirstLocation = createContext<Location | undefined>(undefined);
