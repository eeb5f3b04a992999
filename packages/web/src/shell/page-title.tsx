import { createContext, type ReactNode, use, useEffect, useRef } from "react";
import { type Location, useLocation, useNavigationType } from "react-router";

type Props = {
  /** In the title of the document, and the heading unless there are children. */
  name: string;
  children?: ReactNode;
  /** The heading tells a state: announce it when it changes. */
  live?: boolean;
};

/** The heading of a page. Takes the focus after a navigation, so that keyboard and screen reader go on from there. */
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
    // Back and forward keep the place that the browser restores.
    if (navigation !== "POP") window.scrollTo(0, 0);
  }, [location, firstLocation, navigation]);

  return (
    <h1 ref={heading} tabIndex={-1} aria-live={live ? "polite" : undefined}>
      {children ?? name}
    </h1>
  );
}

/** The location the app was opened at: arriving there takes no focus, going elsewhere and back does. */
export const FirstLocation = createContext<Location | undefined>(undefined);
