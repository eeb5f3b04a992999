import "./menu.css";
import { Fragment, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { menuMove } from "./menu-keys.ts";

export type MenuItem = {
  label: string;
  icon?: IconName;
  /** Shown beside the label: its key, or a state. */
  hint?: string | undefined;
  /** A link, instead of an action. */
  href?: string;
  /** The link opens a new tab of the browser. */
  opensTab?: boolean;
  isCurrent?: boolean;
  /** Deletes something. */
  isDanger?: boolean;
  /** Has a line above it. */
  startsGroup?: boolean;
  onSelect?: () => void;
};

type Props = {
  label: string;
  /** The element at which it opens, and to which the focus returns. */
  anchor: HTMLElement;
  items: readonly MenuItem[];
  align?: "start" | "end";
  onClose: () => void;
};

/** The distance to the edges of the window. */
const MARGIN = 8;

/** In the top layer, above panels and their frames. */
export function Menu({ label, anchor, items, align = "start", onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number }>();

  const close = (returnsFocus: boolean) => {
    onClose();
    if (returnsFocus) anchor.focus({ preventScroll: true });
  };

  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    element.showPopover();
    const from = anchor.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const left = align === "start" ? from.left : from.right - width;
    const below = from.bottom + 4;
    const top = below + height > window.innerHeight - MARGIN ? Math.max(MARGIN, from.top - height - 4) : below;
    setPlace({ left: Math.max(MARGIN, Math.min(left, window.innerWidth - width - MARGIN)), top });
  }, [anchor, align]);

  useEffect(() => {
    if (place) itemsOf(menu.current)[0]?.focus({ preventScroll: true });
  }, [place]);

  useEffect(() => {
    const leave = (event: Event) => {
      const { target } = event;
      if (target instanceof Node && (menu.current?.contains(target) || anchor.contains(target))) return;
      onClose();
    };
    // A frame takes the pointer and the focus without any event in this page except blur.
    const blur = () => document.activeElement instanceof HTMLIFrameElement && onClose();
    document.addEventListener("pointerdown", leave, true);
    window.addEventListener("blur", blur);
    window.addEventListener("resize", onClose);
    return () => {
      document.removeEventListener("pointerdown", leave, true);
      window.removeEventListener("blur", blur);
      window.removeEventListener("resize", onClose);
    };
  }, [anchor, onClose]);

  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      return close(true);
    }
    const all = itemsOf(menu.current);
    const from = all.indexOf(document.activeElement as HTMLElement);
    const next = menuMove(
      event.key,
      from,
      items.map((item) => item.label),
    );
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };

  return (
    <div
      ref={menu}
      className="menu"
      role="menu"
      aria-label={label}
      popover="manual"
      tabIndex={-1}
      style={place ?? { left: 0, top: 0, visibility: "hidden" }}
      onKeyDown={onKeyDown}
    >
      {items.map((item, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items can have the same label
        <Fragment key={`${place} ${item.label}`}>
          {item.startsGroup && <hr />}
          <Item
            item={item}
            onSelect={() => {
              close(true);
              item.onSelect?.();
            }}
          />
        </Fragment>
      ))}
    </div>
  );
}

function Item({ item, onSelect }: { item: MenuItem; onSelect: () => void }) {
  const inside = (
    <>
      {item.icon && <Icon name={item.icon} />}
      <span className="menu-label">{item.label}</span>
      {item.hint !== undefined && <span className="menu-hint">{item.hint}</span>}
    </>
  );
  const shared = {
    role: "menuitem",
    className: item.isDanger ? "menu-item danger" : "menu-item",
    tabIndex: -1,
    "aria-current": item.isCurrent || undefined,
  } as const;
  return item.href === undefined ? (
    <button type="button" {...shared} onClick={onSelect}>
      {inside}
    </button>
  ) : (
    <a href={item.href} {...shared} {...(item.opensTab ? { target: "_blank", rel: "noopener" } : {})}>
      {inside}
    </a>
  );
}

const itemsOf = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []),
];
