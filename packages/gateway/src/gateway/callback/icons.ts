import { html } from "@backplane/kit/page";

// Lines on a grid of 16 pixels.
export const CHECK = html`<path d="M3 8.5l3.25 3.25L13 4.5"/>`;
export const STOP = html`<path d="M5.3 1.75h5.4l3.55 3.55v5.4l-3.55 3.55H5.3l-3.55-3.55V5.3zM5.75 5.75l4.5 4.5M10.25 5.75l-4.5 4.5"/>`;
export const ARC = html`<path d="M8 1.75A6.25 6.25 0 1 1 1.75 8"/>`;
export const INFO = html`<circle cx="8" cy="8" r="6.25"/><path d="M8 7.25v4M8 4.75v.05"/>`;
export const CLOCK = html`<circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.5 1.5"/>`;
