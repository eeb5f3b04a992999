import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chooseStyle } from "./style-choice.ts";

const tokens = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

test("only rules that the markup can match are kept, and of a list only the selectors that can match", () => {
  const css = `
    /* a comment { with braces } */
    h1, h2, .lead { margin: 0; padding: 0; }
    .card .title { color: red; }
    .card p { color: blue; }
    a:hover { color: green; }
    [hidden] { display: none; }
    [open] { display: block; }
    * { margin: 0; }`;
  assert.equal(
    chooseStyle(css, '<div class="wide card" hidden><h1>a</h1><p class="lead">b</p></div>'),
    "h1,.lead{margin:0;padding:0}.card p{color:blue}[hidden]{display:none}*{margin:0}",
  );
});

test("one alternative that can match is enough, and a negated part need not occur", () => {
  const css = ":is(.a, .b).on { top: 0; } :is(.c, .d) i { top: 1px; } p:not(.z, [q]) { top: 2px; }";
  assert.equal(chooseStyle(css, '<p class="b on">x</p>'), ":is(.a, .b).on{top:0}p:not(.z, [q]){top:2px}");
});

test("a constant value is inlined, or kept as a property where that is shorter", () => {
  const css = `@layer t {
    :root { --gap: 4px; --unused: 1px; --ink: light-dark(#161a1f, #e8ebee); --note: var(--ink); }
  }
  p { margin: var(--gap) var(--gap); color: var(--note); }
  b { color: var(--ink); background: var(--ink); outline-color: var(--ink); }`;
  assert.equal(
    chooseStyle(css, "<p><b>x</b></p>"),
    "@layer t{:root{--ink:light-dark(#161a1f,#e8ebee)}}p{margin:4px 4px;color:var(--ink)}" +
      "b{color:var(--ink);background:var(--ink);outline-color:var(--ink)}",
  );
});

test("a property that refers to another one is resolved to its value", () => {
  const css = "@layer t { :root { --a: 4px; --b: var(--a); } } p { margin: var(--b); top: var(--a); }";
  assert.equal(chooseStyle(css, "<p>x</p>"), "p{margin:4px;top:4px}");
});

test("a property with a second value, or one that an element sets itself, stays a property", () => {
  const css = `@layer t {
    :root { --control: 32px; --tone: red; }
    @media (max-width: 640px) { :root { --control: 40px; } }
  }
  p { height: var(--control); }
  i { color: var(--tone); }
  p i { --tone: blue; }
  b { color: var(--own, black); }`;
  assert.equal(
    chooseStyle(css, "<p><i>x</i></p>"),
    "@layer t{:root{--control:32px;--tone:red}@media (max-width: 640px){:root{--control:40px}}}" +
      "p{height:var(--control)}i{color:var(--tone)}p i{--tone:blue}",
  );
  assert.equal(chooseStyle(css, "<b>x</b>"), "b{color:var(--own,black)}");
});

test("an animation is kept only with a rule that uses it", () => {
  const css =
    ".spin { animation: turn 1s linear; } @keyframes turn { to { rotate: 1turn; } } @keyframes fade { to { opacity: 0; } }";
  assert.equal(
    chooseStyle(css, '<i class="spin"></i>'),
    ".spin{animation:turn 1s linear}@keyframes turn{to{rotate:1turn}}",
  );
  assert.equal(chooseStyle(css, "<i></i>"), "");
});

test("from the whole style sheet both themes stay, and every property that is used is defined", () => {
  const markup =
    '<main class="alone"><div class="card"><h1 class="muted">x</h1><a class="btn" href="/">y</a></div></main>';
  const style = chooseStyle(tokens, markup);
  assert.match(style, /color-scheme:light dark/);
  assert.match(style, /light-dark\(#ffffff,#181c21\)/);
  assert.match(style, /--control:32px.*--control:40px/);
  assert.ok(style.startsWith("@layer tokens,base,components,hidden;"), "the order of the layers is lost");
  assert.doesNotMatch(style, /\.table|\.badge|data-theme/);
  for (const [, name] of style.matchAll(/var\((--[\w-]+)\)/g))
    assert.ok(style.includes(`${name}:`), `${name} is undefined`);
  assert.ok(style.length < tokens.length / 4);
});
