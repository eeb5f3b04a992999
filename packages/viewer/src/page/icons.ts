import { type Html, html } from "@backplane/kit/page";

const icon = (shape: Html, look = ""): Html =>
  html`<svg class="i${look}" viewBox="0 0 16 16" aria-hidden="true">${shape}</svg>`;

export const MARK = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 2h4v20H2zM9 2h10l3 3v3H9zM9 10h11v4H9zM9 16h13v3l-3 3H9z"/><path class="contacts" d="M6 4h3v2H6zM6 11h3v2H6zM6 18h3v2H6z"/></svg>`;
export const CLIPBOARD = icon(
  html`<path d="M5.25 3.25h-2v10.5h9.5V3.25h-2"/><rect x="5.25" y="1.75" width="5.5" height="3" rx=".75"/><path d="M5.75 8h4.5M5.75 10.5h3"/>`,
);
export const WARNING = icon(html`<path d="M8 2.25L14.5 13.5h-13zM8 6.5v3.25M8 11.6v.05"/>`);
export const CHECK = icon(html`<path d="M3 8.5l3.25 3.25L13 4.5"/>`, " is-done");
export const SPINNER = icon(html`<path d="M8 1.75a6.25 6.25 0 1 1-6.25 6.25"/>`, " spin is-busy");
export const COPY = icon(
  html`<rect x="5.75" y="5.75" width="8" height="8" rx="1"/><path d="M10.25 5.75v-2.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2.5"/>`,
);
export const CLOSE = icon(html`<path d="M4 4l8 8M12 4l-8 8"/>`);
