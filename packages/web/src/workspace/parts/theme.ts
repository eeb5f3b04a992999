/** Calls back when the page or the system changes its theme. */
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
