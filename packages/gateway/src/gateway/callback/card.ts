import { type Html, html } from "@backplane/kit/page";
import type { Card } from "./cards.ts";

export type Fact = readonly [term: string, value: string | Html];

const NOTHING = html``;

/** What a screen reader is told of changes stops at the lead: what counts seconds below is not read aloud each second. */
export const renderCard = ({ heading, lead, icon, tone, next, hint }: Card, middle: Html = NOTHING): Html =>
  html`<div class="card">
<div class="outcome" role="status"><span class="glyph${tone === undefined ? "" : ` ${tone}`}"><svg class="i${tone === "wait" ? " spin" : ""}" viewBox="0 0 16 16" aria-hidden="true">${icon}</svg></span><div><h1>${heading}</h1><p>${lead}</p></div></div>
${middle}${next === undefined ? NOTHING : html`<p class="card-body dense">${next}</p>`}${hint === undefined ? NOTHING : html`<p class="card-body dense muted">${hint}</p>`}</div>`;

export const renderFacts = (facts: readonly Fact[]): Html =>
  html`<div class="card-body"><dl class="facts">${facts.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl></div>`;
