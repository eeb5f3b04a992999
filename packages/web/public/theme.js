// Loaded before the first paint, so that a chosen theme never flashes. src/shell/theme.ts writes this key.
try {
  const theme = localStorage.getItem("backplane-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the page follows the system.
}
