/** Also read by public/theme.js before the first paint. */
export const THEME_KEY = "backplane-theme";

const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
}

type Root = { dataset: { theme?: string } };

export function themeOf(root: Root): Theme {
  return themes.find((theme) => theme === root.dataset.theme) ?? "system";
}

/** Applies the theme to the page. */
export function applyTheme(root: Root, theme: Theme): void {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** Saves the theme for the next visit; "system" is the absence of a choice. */
export function rememberTheme(storage: Pick<Storage, "setItem" | "removeItem">, theme: Theme): void {
  if (theme === "system") storage.removeItem(THEME_KEY);
  else storage.setItem(THEME_KEY, theme);
}

/** The current theme, then what a press does. */
export const themeLabel = (theme: Theme): string => `Theme: ${theme}. Switch to ${nextTheme(theme)}`;
