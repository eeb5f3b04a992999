export { type Html, html } from "./html.ts";
export { renderStandalonePage, standalonePolicy, styleFor, TOKENS } from "./page.ts";
export { chooseStyle } from "./style-choice.ts";
