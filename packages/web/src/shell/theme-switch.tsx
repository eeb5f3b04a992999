import { useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { applyTheme, nextTheme, rememberTheme, type Theme, themeLabel, themeOf } from "./theme.ts";

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(() => themeOf(document.documentElement));
  const label = themeLabel(theme);

  const switchTheme = () => {
    const next = nextTheme(theme);
    applyTheme(document.documentElement, next);
    setTheme(next);
    try {
      rememberTheme(localStorage, next);
    } catch {
      // Storage is blocked: the choice holds until the page is left.
    }
  };

  return (
    <button className="icon-btn" type="button" aria-label={label} title={label} onClick={switchTheme}>
      <Icon name={theme} />
    </button>
  );
}
