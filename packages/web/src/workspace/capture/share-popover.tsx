import { type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";

type Props = {
  id: string;
  label: string;
  /** What it hangs at, and where the focus goes if it goes while it has it. */
  button: RefObject<HTMLButtonElement | null>;
  children: ReactNode;
};

/** Beside what somebody does, never over their focus: it takes none, and leaves none behind. */
export function SharePopover({ id, label, button, children }: Props) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current: popover } = element;
    return () => {
      if (popover?.contains(document.activeElement)) button.current?.focus();
    };
  }, [button]);
  return (
    <div className="popover share-popover" ref={element} id={id} role="dialog" aria-label={label}>
      {children}
    </div>
  );
}
