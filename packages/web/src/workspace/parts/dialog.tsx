import "./dialog.css";
import { type ReactNode, useLayoutEffect, useRef } from "react";

type Props = {
  label: string;
  className?: string;
  onClose: () => void;
  children: ReactNode;
};

/** A native dialog: it keeps the focus inside, and returns it when it closes. */
export function Dialog({ label, className, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);

  // In a layout effect, while it is still in the document: otherwise closing does not return the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  return (
    <dialog
      ref={dialog}
      className={["dialog", className].filter(Boolean).join(" ")}
      aria-label={label}
      onClose={(event) => {
        // The event of a nested dialog arrives here as well.
        if (event.target === dialog.current && !dialog.current.open) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => {
        // Its content covers the whole dialog, so a click on the dialog itself is a click on the backdrop.
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}
