import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("tokens.css", import.meta.url), "utf8").replace(/\/\*.*?\*\//gs, "");

const themes = ["light", "dark"] as const;
type Theme = (typeof themes)[number];

// WCAG 2.2: 1.4.3 for text, 1.4.11 for outlines of controls, focus rings and shapes that carry meaning.
const AA_TEXT = 4.5;
const AA_SHAPE = 3;

const tokens = new Map<string, string>();
for (const [, name = "", value = ""] of css.matchAll(/--([\w-]+):\s*([^;]+);/g)) {
  if (!tokens.has(name)) tokens.set(name, value.trim());
}

/** The hex value of a token in a theme; undefined for what is not a plain colour. */
function colourOf(name: string, theme: Theme): string | undefined {
  const value = tokens.get(name) ?? "";
  const alias = /^var\(--([\w-]+)\)$/.exec(value)?.[1];
  if (alias !== undefined) return colourOf(alias, theme);
  const both = /^light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)$/.exec(value);
  if (both) return theme === "light" ? both[1] : both[2];
  return /^#[\da-f]{6}$/.test(value) ? value : undefined;
}

/** Relative luminance as WCAG defines it. */
function luminance(hex: string): number {
  const channel = (from: number): number => {
    const c = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [la, lb] = [luminance(a), luminance(b)];
  return (Math.max(la, lb) + 0.05) / (Math.min(la, lb) + 0.05);
}

type Pair = { foreground: string; background: string };

const cross = (foregrounds: string[], backgrounds: string[]): Pair[] =>
  foregrounds.flatMap((foreground) => backgrounds.map((background) => ({ foreground, background })));

const backgrounds = ["canvas", "sunken", "surface", "raised", "hover"];
const softs = ["accent-soft", "ok-soft", "warn-soft", "danger-soft"];
const bezel = ["bar", "bar-hover"];

const textPairs: Pair[] = [
  ...cross(["text", "muted"], [...backgrounds, ...softs]),
  ...["accent", "ok", "warn", "danger"].flatMap((foreground) =>
    cross([foreground], [...backgrounds, `${foreground}-soft`]),
  ),
  ...cross(["on-accent"], ["accent-fill", "accent-press"]),
  ...cross(["on-ink"], ["ink-fill", "ink-press"]),
  ...cross(["on-danger"], ["danger-fill"]),
  ...cross(["bar-text", "bar-muted", "bar-accent", "bar-ok"], bezel),
  ...cross(["trace-1", "trace-2", "trace-3"], ["surface", "sunken", "accent-soft"]),
  ...cross(["ok", "warn"], ["accent-soft"]),
];

const shapePairs: Pair[] = [
  ...cross(["line-strong", "focus"], ["canvas", "sunken", "surface", "raised"]),
  ...cross(["bar-focus"], bezel),
  ...cross(["accent-fill", "ink-fill", "danger-fill"], ["canvas", "surface"]),
];

// Lines that only separate carry no meaning (WCAG 1.4.11 leaves them out).
const decoration = ["line", "bar-line"];

for (const theme of themes) {
  for (const [kind, pairs, needed] of [
    ["text", textPairs, AA_TEXT],
    ["a shape", shapePairs, AA_SHAPE],
  ] as const) {
    for (const { foreground, background } of pairs) {
      test(`${foreground} on ${background} is legible as ${kind} in the ${theme} theme`, () => {
        const [a, b] = [colourOf(foreground, theme), colourOf(background, theme)];
        assert.ok(a, `--${foreground} is not a colour of the ${theme} theme`);
        assert.ok(b, `--${background} is not a colour of the ${theme} theme`);
        const got = contrast(a, b);
        assert.ok(got >= needed, `${foreground} ${a} on ${background} ${b}: ${got.toFixed(2)}, needed ${needed}`);
      });
    }
  }
}

test("every colour token is part of a checked pair or only separates", () => {
  const checked = new Set(
    [...textPairs, ...shapePairs].flatMap(({ foreground, background }) => [foreground, background]),
  );
  const colours = [...tokens.keys()].filter(
    (name) => !tokens.get(name)?.startsWith("var(") && colourOf(name, "light") !== undefined,
  );
  assert.ok(colours.length > 30, "the tokens were not read");
  assert.deepEqual(
    colours.filter((name) => !checked.has(name) && !decoration.includes(name)),
    [],
  );
});

test("every rule that sets both a colour and a background uses a checked pair", () => {
  const known = new Set(textPairs.map(({ foreground, background }) => `${foreground} on ${background}`));
  const used = [...css.matchAll(/\{([^{}]*)\}/g)].flatMap(([, body = ""]) => {
    const foreground = /(?:^|\s)color: var\(--([\w-]+)\);/.exec(body)?.[1];
    const background = /(?:^|\s)background: var\(--([\w-]+)\);/.exec(body)?.[1];
    return foreground !== undefined && background !== undefined ? [`${foreground} on ${background}`] : [];
  });
  assert.ok(used.length > 10, "the rules were not read");
  assert.deepEqual(
    used.filter((pair) => !known.has(pair)),
    [],
  );
});

test("every token that is used is defined", () => {
  const used = new Set([...css.matchAll(/var\(--([\w-]+)\)/g)].map(([, name = ""]) => name));
  assert.deepEqual(
    [...used].filter((name) => !tokens.has(name)),
    [],
  );
});

test("the contrast of black on white is 21 and a grey just short of AA stays short", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.ok(contrast("#777777", "#ffffff") < AA_TEXT);
  assert.ok(contrast("#767676", "#ffffff") >= AA_TEXT);
});
