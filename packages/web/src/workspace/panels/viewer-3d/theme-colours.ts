const NAMES = {
  ground: "--surface",
  line: "--line",
  ink: "--muted",
  model: "--line-strong",
  x: "--danger",
  y: "--ok",
  z: "--trace-2",
} as const;

export type ThemeColours = Record<keyof typeof NAMES, string>;

/** The tokens as plain colours: a token's own value still holds both themes. */
export function readColours(element: HTMLElement): ThemeColours {
  const probe = document.createElement("span");
  element.append(probe);
  const colourOf = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, colourOf(name)]));
  probe.remove();
  return colours as ThemeColours;
}

/** Calls back when the page or the system changes to the other theme. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const page = new MutationObserver(listener);
  system.addEventListener("change", listener);
  page.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", listener);
    page.disconnect();
  };
}
