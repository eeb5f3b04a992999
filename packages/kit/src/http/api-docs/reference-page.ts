import { readFileSync } from "node:fs";
import { type Html, html } from "../../page/html.ts";
import { ALL_STYLES, MARK, standalonePolicy } from "../../page/page.ts";
import { PROBLEM_MEDIA_TYPE } from "../../problems.ts";
import type { Answer, ApiDocument, Media, Operation, Parameter } from "./openapi.ts";

export type ReferencePage = { page: string; policy: string };

const STYLE = ALL_STYLES + readFileSync(new URL("reference-page.css", import.meta.url), "utf8");

/** Shows what contains the words that are typed, and opens the operation that the address names. */
const SCRIPT = `
const field = document.getElementById("find");
const operations = [...document.querySelectorAll("details")].map((element) => ({ element, text: element.textContent.toLowerCase() }));
const groups = [...document.querySelectorAll("section[id]")];
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\\s+/);
  for (const { element, text } of operations) element.hidden = !words.every((word) => text.includes(word));
  for (const group of groups) group.hidden = !group.querySelector("details:not([hidden])");
});
const openNamed = () => {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) { named.open = true; named.scrollIntoView(); }
};
addEventListener("hashchange", openNamed);
openNamed();
`;

/** The whole reference as one page that loads nothing more: each operation is folded until it is opened. */
export function renderReferencePage(document: ApiDocument): ReferencePage {
  const { info, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = [...Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? "other")];
  const common = (components?.responses as { AnyProblem?: Answer } | undefined)?.AnyProblem;
  const body = html`<header class="bar"><a class="brand" href="/" aria-label="Backplane, overview">${MARK}<span class="wide">Backplane</span></a><nav aria-label="Main"><a href="/">Overview</a><a href="/docs/" aria-current="page">API reference</a><a href="/openapi.json">OpenAPI document</a></nav></header>
<main class="page"><div class="page-head"><div><h1>API reference</h1><p>${info.description ?? info.title} Version ${info.version}.</p></div></div>
<div class="reference"><nav class="groups" aria-label="Groups"><label class="sr" for="find">Find an operation</label><div class="input"><input id="find" type="search" placeholder="Find an operation" autocomplete="off"></div><ul>${groups.map(([tag, all]) => html`<li><a href="#${tag}">${tag}</a> <span class="muted">${all.length}</span></li>`)}</ul></nav>
<div>${groups.map(([tag, all]) => html`<section id="${tag}"><h2>${tag}</h2>${all.map(renderOperation)}</section>`)}
${common ? html`<section id="problems"><h2>Problems of any request</h2>${renderText(common.description)}</section>` : ""}</div></div></main>`;
  const page = `<!doctype html>${html`
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference &middot; ${info.title}</title>
<link rel="icon" href="data:,">`}
<style>${STYLE}</style>${html`
</head>
<body>
${body}`}
<script>${SCRIPT}</script>
</body>
</html>
`;
  return { page, policy: standalonePolicy({ styles: [STYLE], scripts: [SCRIPT] }) };
}

type Listed = { method: string; path: string; operation: Operation };

function renderOperation({ method, path, operation }: Listed): Html {
  const { summary = "", description = "", parameters = [], requestBody, responses } = operation;
  const [sample] = operation["x-codeSamples"] ?? [];
  const answers = Object.entries(responses).flatMap(([status, answer]) =>
    "$ref" in answer ? [] : [{ status, answer }],
  );
  return html`<details id="${method}-${path}"><summary><b class="method">${method.toUpperCase()}</b> <code>${renderPath(path)}</code> <span>${renderInline(summary)}</span></summary><div class="operation">
${renderText(description)}${parameters.length === 0 ? "" : html`<h3>Parameters</h3><dl>${parameters.map(renderParameter)}</dl>`}
<h3>Example</h3>${renderCode(sample?.source ?? "")}${renderMedia(requestBody?.content ?? {}, "Body")}
<h3>Answers</h3>${answers.map(renderAnswer)}</div></details>`;
}

/** Breaks before a slash where it does not fit on one line. */
const renderPath = (path: string): readonly Html[] => path.split(/(?=\/)/).map((piece) => html`<wbr>${piece}`);

const asSentence = (text: string): string => (/\w$/.test(text) ? `${text}.` : text);

const renderParameter = ({ name, in: place, required, description = "", example }: Parameter): Html =>
  html`<dt><code>${name}</code> <span class="muted">${place}${required ? "" : ", optional"}</span></dt><dd>${asSentence(description)} <span class="muted">Such as</span> <code>${String(example)}</code></dd>`;

/** A problem is its code and title; what its body looks like is the same for all. */
function renderAnswer({ status, answer }: { status: string; answer: Answer }): Html {
  const isProblem = answer.content?.[PROBLEM_MEDIA_TYPE] !== undefined;
  return html`<div class="answer"><b>${status}</b><div>${renderText(answer.description)}${isProblem ? "" : renderMedia(answer.content ?? {})}</div></div>`;
}

const renderMedia = (content: Record<string, Media>, title?: string): readonly Html[] =>
  Object.entries(content).map(([type, { example, examples = {} }]) => {
    const shown = example ?? Object.values(examples)[0]?.value;
    const code = shown === undefined ? "" : renderCode(JSON.stringify(shown, undefined, 2));
    return html`<p class="muted dense">${title === undefined ? "" : `${title}: `}${type}</p>${code}`;
  });

const renderCode = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;

/** Paragraphs, lists and `code`: all of Markdown that our own texts use. */
function renderText(text: string): readonly Html[] {
  return text.split(/\n\n/).map((part) => {
    if (!part.startsWith("- ")) return html`<p>${renderInline(part)}</p>`;
    return html`<ul class="plain-list">${part.split("\n").map((line) => html`<li>${renderInline(line.slice(2))}</li>`)}</ul>`;
  });
}

const renderInline = (text: string): readonly Html[] =>
  text.split("`").map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
