import "./dialog.css";
import { type ReactNode, useLayoutEffect, useRef } from "react";

type Props = {
  label: string;
  className?: string;
  onClose: () => void;
  children: ReactNode;
};

/** A native dialog: it keeps the focus inside, and gives it back to where it was. */
export function Dialog({ label, className, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);

  // While it is still in the document: only then does closing it give the focus back.
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
        // That of a dialog inside comes by as well.
        if (event.target === dialog.current && !dialog.current.open) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => {
        // Nothing of the dialog itself is bare: a click on it is one beside it.
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}
