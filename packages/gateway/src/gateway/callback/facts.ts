import { MAX_PROVIDER_LENGTH } from "@backplane/contract/gateway";
import { type Html, html } from "@backplane/kit/page";
import type { FieldFault } from "@backplane/kit/problems";
import { type Fact, renderFacts } from "./cards.ts";

// What fits on a card.
const MAX_ERROR_LENGTH = 200;
export const MAX_DESCRIPTION_LENGTH = 500;
const MAX_FAULT_LENGTH = 200;

export type Delivered = { provider: string; atMs: number; tookMs: number };
export type Refusal = { provider: string; error: string; description?: string | undefined };

const providerFact = (provider: string, term = "Provider"): Fact => [term, plainText(provider, MAX_PROVIDER_LENGTH)];

export const providerFacts = ({ provider }: { provider: string }): Html => renderFacts([providerFact(provider)]);
export const waitsForFacts = ({ provider }: { provider: string }): Html =>
  renderFacts([providerFact(provider, "Expected provider")]);

/** In UTC: only the page's script knows the user's time zone. */
export function deliveredFacts({ provider, atMs, tookMs }: Delivered): Html {
  const at = new Date(atMs).toISOString().slice(0, "2026-03-04T14:31:09".length);
  const time = html`<time datetime="${at}Z">${at.slice(at.indexOf("T") + 1)} UTC</time>`;
  return renderFacts([providerFact(provider), ["Delivered", html`${time}, in ${durationOf(tookMs)}`]]);
}

function durationOf(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 1 ? "under 1 ms" : `${Math.round(ms)} ms`;
}

export const refusalFacts = ({ provider, error, description }: Refusal): Html =>
  renderFacts([
    providerFact(provider),
    ["Answer", html`<code>${plainText(error, MAX_ERROR_LENGTH)}</code>`],
    ...(description === undefined ? [] : [["Message", plainText(description, MAX_DESCRIPTION_LENGTH)] as const]),
  ]);

export const faultFacts = (faults: readonly FieldFault[]): Html =>
  renderFacts(
    faults.map(({ pointer, message }) => {
      const name = pointer.slice(1);
      return ["Fault", plainText(message.startsWith(name) ? message : `${name} ${message}`, MAX_FAULT_LENGTH)];
    }),
  );

const slot = (name: string): Html => html`<span data-fact="${name}"></span>`;

/** Filled in by the script; the names are fields of the JSON answer. */
export const DELIVERED_SLOTS = renderFacts([
  ["Provider", slot("provider")],
  ["Delivered", slot("delivered")],
]);
export const REFUSAL_SLOTS = renderFacts([
  ["Provider", slot("provider")],
  ["Answer", html`<code>${slot("error")}</code>`],
  ["Message", slot("error_description")],
]);

const ELLIPSIS = "…";

/** Nearly every label: nothing to clean. */
const PLAIN_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Text from others, made safe to display: one line of bounded length, without invisible characters that change how the
 * rest is read (control characters and bidirectional overrides).
 */
export function plainText(text: string, maxLength: number): string {
  if (text.length <= maxLength && PLAIN_ASCII.test(text)) return text;
  const visible = text
    .replace(/\p{Bidi_Control}/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  if (visible.length <= maxLength) return visible;
  // By whole characters, not UTF-16 halves.
  return [...visible].slice(0, maxLength - 1).join("") + ELLIPSIS;
}
