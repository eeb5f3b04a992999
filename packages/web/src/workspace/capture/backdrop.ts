/** Of CSS colours as they are computed: those that let nothing, or all, of what is below through. */
const isClear = (colour: string): boolean => colour === "transparent" || /^rgba\(.*, 0\)$|\/ 0\)$/.test(colour);

/** The first that can be seen, from the element itself outwards. */
export const backdropAmong = (colours: readonly string[]): string =>
  colours.find((colour) => !isClear(colour)) ?? "Canvas";

/**
 * An element that is captured alone has nothing below it: what is clear in it would be black. Gives it the colour that
 * one sees there, until the function that comes back is called; undefined when it has a colour of its own.
 */
export function paintBackdrop(element: HTMLElement): (() => void) | undefined {
  const colours: string[] = [];
  for (let each: Element | null = element; each; each = each.parentElement) {
    colours.push(getComputedStyle(each).backgroundColor);
  }
  if (!isClear(colours[0] ?? "")) return undefined;
  const before = element.style.backgroundColor;
  element.style.backgroundColor = backdropAmong(colours);
  return () => {
    element.style.backgroundColor = before;
  };
}
