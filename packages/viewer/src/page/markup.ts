import { basename, join } from "node:path";
import { MAX_DIMENSION, VIEWER_LIMITS } from "@backplane/contract/viewer";
import { type Html, html } from "@backplane/kit/page";

const icon = (shape: Html, look = ""): Html =>
  html`<svg class="i${look}" viewBox="0 0 16 16" aria-hidden="true">${shape}</svg>`;

const MARK = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 2h4v20H2zM9 2h10l3 3v3H9zM9 10h11v4H9zM9 16h13v3l-3 3H9z"/><path class="contacts" d="M6 4h3v2H6zM6 11h3v2H6zM6 18h3v2H6z"/></svg>`;
const CLIPBOARD = icon(
  html`<path d="M5.25 3.25h-2v10.5h9.5V3.25h-2"/><rect x="5.25" y="1.75" width="5.5" height="3" rx=".75"/><path d="M5.75 8h4.5M5.75 10.5h3"/>`,
);
const WARNING = icon(html`<path d="M8 2.25L14.5 13.5h-13zM8 6.5v3.25M8 11.6v.05"/>`);
const CHECK = icon(html`<path d="M3 8.5l3.25 3.25L13 4.5"/>`, " is-done");
const SPINNER = icon(html`<path d="M8 1.75a6.25 6.25 0 1 1-6.25 6.25"/>`, " spin is-busy");
const COPY = icon(
  html`<rect x="5.75" y="5.75" width="8" height="8" rx="1"/><path d="M10.25 5.75v-2.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2.5"/>`,
);
const SEARCH = icon(html`<circle cx="7" cy="7" r="4.5"/><path d="M10.25 10.25l3.5 3.5"/>`);
const CLOSE = icon(html`<path d="M4 4l8 8M12 4l-8 8"/>`);

/** On a Mac the script replaces the key. */
const KEYS = html`<kbd data-key="modifier">Ctrl</kbd> <kbd>V</kbd>`;

/** Accepted types, for people; the script uses this text, too. */
export const IMAGE_TYPES = "PNG, JPEG, WebP, GIF, AVIF or TIFF";
const ACCEPTED = "image/png,image/jpeg,image/webp,image/gif,image/avif,image/tiff";

function top({ title, folder, project }: Omit<Body, "limitInWords">): Html {
  return html`<header class="top">${MARK}<h1 class="nowrap">Screenshot paste</h1><span class="muted cut" id="title">${title}</span><span class="grow"></span><span class="muted connection" role="status" id="connection"></span>${where(folder, project)}</header>`;
}

/** A long project name is cut, the folder is not; the tooltip has the whole path. */
function where(folder: string, project: string): Html {
  const name = basename(project);
  if (name === "") return html`<span class="muted nowrap where">saves to <code>${folder}</code></span>`;
  return html`<span class="muted nowrap where" title="${join(project, folder)}">saves to <code><span class="cut">${name}</span>/${folder}</code></span>`;
}

/** Filled by the script. The region exists from the start, so that screen readers read what is put into it. */
function fault(): Html {
  return html`<div role="alert" id="fault"><div class="note danger" data-part="note" hidden>${WARNING}<div class="note-text"><div><strong data-part="what"></strong><p data-part="next"></p></div><div class="row" data-part="offers"><button class="btn small" type="button" data-do="retry" hidden>Try again</button><button class="btn small quiet" type="button" data-do="discard" hidden>Discard</button><button class="btn small" type="button" data-do="reload" hidden>Reload</button><button class="icon-btn small" type="button" data-do="dismiss" aria-label="Close this message">${CLOSE}</button></div></div></div></div>`;
}

/** Shown by the script where screenshots can be listed. */
function tools(): Html {
  return html`<div class="tools" id="tools" hidden><div class="input large" id="searching" role="search">${SEARCH}<input type="search" id="search" aria-label="Search names and text in pictures" aria-keyshortcuts="/" placeholder="Search names and text" maxlength="${VIEWER_LIMITS.maxQueryCharacters}" enterkeyhint="search" autocomplete="off" autocapitalize="off" spellcheck="false"><span class="small muted nowrap" data-part="count"></span><kbd class="with-keys" data-part="key" aria-hidden="true">/</kbd></div><button class="btn" type="button" id="paste" data-do="paste" hidden>${CLIPBOARD}Paste<span class="with-keys" aria-hidden="true">${KEYS}</span></button></div>`;
}

/** Texts `with-keys` and `with-touch` are for devices with a keyboard and for those without: see page.css. */
function ready(limitInWords: string): Html {
  return html`<section id="ready">
<div class="drop" id="drop" tabindex="0" role="group" aria-labelledby="drop-title" aria-describedby="drop-what">${CLIPBOARD}<h2 id="drop-title"><span class="with-keys"><span data-part="focused">Press ${KEYS} to paste</span><span data-part="away" hidden>Click here, then press ${KEYS}</span></span><span class="with-touch">Add a screenshot</span></h2>
<p class="muted"><span class="with-keys">Or drop an image here, or </span><input class="sr" type="file" id="file" accept="${ACCEPTED}" multiple><label class="link" for="file"><span class="with-keys">choose a file</span><span class="with-touch">Choose a picture</span></label><span class="with-keys">.</span></p>
<p class="small muted" id="drop-what"><span data-part="twice">Saved twice: resized to at most ${MAX_DIMENSION} px for models, and as it was.</span><span data-part="limits" hidden>${IMAGE_TYPES}, up to ${limitInWords}.</span></p>
<noscript><p class="note">This page needs JavaScript to read images from the clipboard. Allow it, then reload the page.</p></noscript></div>
</section>`;
}

function file(kind: "optimized" | "original", heading: string, more: Html): Html {
  return html`<div role="group" id="${kind}" aria-labelledby="${kind}-title"><h2 id="${kind}-title">${heading}<span data-part="facts"></span></h2>
<div class="copy"><code data-part="path"></code><button class="btn small quiet" type="button" data-do="copy-path" data-kind="${kind}">${COPY}<span data-part="label">Copy path</span></button></div>${more}</div>`;
}

const COPY_IMAGE = html`<button class="btn small copy-image" type="button" data-do="copy-image">${COPY}<span data-part="label">Copy image</span></button>`;

/** Not a form: in a sandboxed frame submitting one does nothing, not even fire an event. */
function result(): Html {
  return html`<section id="result" aria-label="Screenshot" hidden>
<div class="strip" id="strip" tabindex="-1"><span class="row strip-says" id="outcome" data-tone="busy">${CHECK}${SPINNER}${WARNING}<span data-part="text"></span></span><span class="row strip-end"><span class="muted next-one with-keys">Press ${KEYS} for the next one</span><button class="btn small quiet" type="button" data-do="undo-paste" hidden>Undo paste</button></span><span class="meter" data-part="meter" hidden><i></i></span></div>
<div class="card card-body name-card" id="naming" role="group" aria-label="Name of both files" hidden>
<div class="rename"><div class="field"><label for="name">Name</label><div class="input" data-part="box"><input id="name" enterkeyhint="done" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="name-hint"><span class="muted" data-part="ending"></span></div></div><button class="btn" type="button" id="rename" aria-describedby="name-hint">Rename both</button></div>
<div class="name-foot"><p class="fault" id="name-fault" hidden>${WARNING}<span data-part="text"></span></p><p class="hint" id="name-hint"></p><button class="btn small quiet" type="button" data-do="undo-rename" hidden>Undo rename</button></div>
<div class="names" role="group" aria-label="Suggested names" data-part="names" hidden><span class="small muted" aria-hidden="true">Suggested</span><span class="skeleton" data-part="names-shape"></span></div>
</div>
<div class="card card-body name-card loading" id="naming-shape" aria-hidden="true" hidden><div class="skeleton"></div><div class="skeleton"></div></div>
<article class="card shot" id="shot"><div class="thumb"><img alt="" data-part="image" hidden></div>
<div class="meta">${file("optimized", "Optimized", COPY_IMAGE)}
${file("original", "Original", html``)}
<p class="hint" role="status" data-part="said"></p></div></article>
</section>`;
}

/** The button `pick` covers its tile. */
function gallery(): Html {
  return html`<section class="gallery" id="gallery" aria-labelledby="gallery-title" hidden>
<h2 id="gallery-title">All screenshots</h2>
<p class="dense muted" data-part="about" hidden><span data-part="found"></span> <button class="link" type="button" data-do="end-search">Show all</button></p>
<ul class="tiles" data-part="list"></ul>
<button class="btn" type="button" data-do="more" hidden>Show more</button>
</section>
<section class="gallery" id="near" aria-labelledby="near-title" hidden>
<h2 id="near-title">Taken shortly before the first</h2>
<ul class="tiles" data-part="list"></ul>
</section>
<template id="tile"><li class="card tile"><div class="thumb"><img alt="" data-part="thumbnail"></div><div class="tile-head"><button class="pick" type="button" data-do="show"><code class="cut" data-part="name"></code></button><button class="icon-btn small" type="button" data-do="copy-listed">${COPY}</button></div><p class="why" data-part="why" hidden></p><p class="tile-facts small muted"><span data-part="facts"></span><time data-part="when"></time></p></li></template>`;
}

/** Screen readers read `said`: not all of them read a region that appears together with its text. */
function notice(): Html {
  return html`<div class="notice" id="notice" hidden><span data-part="text"></span><button class="btn small quiet" type="button" data-do="restore">Put back</button></div>
<p class="sr" role="status" id="said"></p>`;
}

export type Body = { title: string; folder: string; project: string; limitInWords: string };

export function body({ limitInWords, ...names }: Body): Html {
  return html`${top(names)}
<main class="stage">
${fault()}
${tools()}
${ready(limitInWords)}
${result()}
${gallery()}
${notice()}
</main>`;
}
