import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { html } from "./html.ts";
import { renderStandalonePage, STANDALONE_POLICY, standalonePolicy, styleFor } from "./page.ts";

test("values are escaped, HTML is not escaped twice", () => {
  const name = `<img src=x onerror="alert('1')">&`;
  assert.equal(
    String(html`<b title="${name}">${html`<i>${1}</i>`}${[html`<u>a</u>`, html`<u>b</u>`]}</b>`),
    '<b title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;"><i>1</i><u>a</u><u>b</u></b>',
  );
});

test("the policy of a standalone page allows exactly its own style, and no script", () => {
  const page = renderStandalonePage({ title: "<x>", process: "test", homeUrl: "/home", body: html`<p>hi</p>` });
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  assert.ok(STANDALONE_POLICY.includes(`style-src 'sha256-${hash}'`));
  assert.doesNotMatch(page, /<script|http:|https:|<x>/);
});

test("a page may have a subset of the styles, and scripts: the policy allows exactly these", () => {
  const body = html`<p class="muted">hi</p>`;
  const [style, scripts] = [styleFor(body), ["first()", "second()"]];
  const page = renderStandalonePage({ title: "x", process: "test", homeUrl: "/", body, foot: "below", style, scripts });
  const carried = (element: string) =>
    [...page.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, "gs"))]
      .map(([, content = ""]) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`)
      .join(" ");
  assert.ok(style.length < 3_000);
  assert.equal(
    standalonePolicy({ styles: [style], scripts }),
    `default-src 'none'; style-src ${carried("style")}; script-src ${carried("script")}; img-src data:; ` +
      "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  );
  assert.match(
    standalonePolicy({ styles: [style], connects: true, submits: true }),
    /connect-src 'self'.*form-action 'self'/,
  );
});
