import { type RefObject, useEffect } from "react";

type Pressed = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; defaultPrevented: boolean };

/** Whether a key press means "go to the search": "/", except while typing in a field. */
export function meansSearch(press: Pressed, target: { tagName?: string; isContentEditable?: boolean } | null): boolean {
  if (press.key !== "/" || press.ctrlKey || press.metaKey || press.altKey || press.defaultPrevented) return false;
  return !/^(input|textarea|select)$/i.test(target?.tagName ?? "") && target?.isContentEditable !== true;
}

/** "/" puts the focus into this field from anywhere on the page. */
export function useSearchKey(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const lead = (event: KeyboardEvent) => {
      if (!meansSearch(event, event.target instanceof HTMLElement ? event.target : null)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", lead);
    return () => document.removeEventListener("keydown", lead);
  }, [field]);
}
