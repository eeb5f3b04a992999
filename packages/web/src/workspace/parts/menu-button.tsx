import { useCallback, useRef, useState } from "react";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Menu, type MenuItem } from "./menu.tsx";

type Props = {
  icon: IconName;
  label: string;
  /** Of the menu itself. */
  menuLabel: string;
  items: readonly MenuItem[];
  align?: "start" | "end";
  /** What the menu needs, before it opens. */
  onOpen?: () => Promise<void>;
};

/** An icon that opens a menu. */
export function MenuButton({ icon, label, menuLabel, items, align = "start", onOpen }: Props) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const toggle = async () => {
    if (isOpen) return close();
    await onOpen?.();
    setOpen(true);
  };
  return (
    <>
      <button
        ref={anchor}
        className="icon-btn small"
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => void toggle()}
      >
        <Icon name={icon} />
      </button>
      {isOpen && anchor.current && (
        <Menu label={menuLabel} anchor={anchor.current} {...{ align, items }} onClose={close} />
      )}
    </>
  );
}
