import { useRef, useState } from "react";

/** Something that a button opens in place. Closing it gives the focus back to the button. */
export function useOpener() {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  return { isOpen, opener, open: () => setOpen(true), close };
}
