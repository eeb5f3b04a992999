import { type ReactNode, useEffect, useRef } from "react";

type Props = {
  /** In the title of the document. */
  name: string;
  children: ReactNode;
  /** False where a field of the card takes the focus instead. */
  takesFocus?: boolean;
  id?: string;
};

/** The heading of a card that stands alone. The focus starts here: never on a button that decides something. */
export function CardTitle({ name, children, takesFocus = true, id }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    document.title = `${name} · Backplane`;
  }, [name]);

  useEffect(() => {
    if (takesFocus) heading.current?.focus({ preventScroll: true });
  }, [takesFocus]);

  return (
    <h1 ref={heading} id={id} tabIndex={-1}>
      {children}
    </h1>
  );
}
