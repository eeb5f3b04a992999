export { type Html, html } from "./html.ts";
export { renderStandalonePage, standalonePolicy, styleFor } from "./page.ts";
export { servePlannedPage } from "./planned-page.ts";
