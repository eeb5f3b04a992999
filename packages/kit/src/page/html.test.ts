import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { html } from "./html.ts";
import { renderStandalonePage, STANDALONE_POLICY } from "./page.ts";

test("values are escaped, HTML is not escaped twice", () => {
  const name = `<img src=x onerror="alert('1')">&`;
  assert.equal(
    String(html`<b title="${name}">${html`<i>${1}</i>`}${[html`<u>a</u>`, html`<u>b</u>`]}</b>`),
    '<b title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;"><i>1</i><u>a</u><u>b</u></b>',
  );
});

test("the policy of a stand-alone page allows exactly the style it carries, and no script", () => {
  const page = renderStandalonePage({ title: "<x>", process: "test", homeUrl: "/home", body: html`<p>hi</p>` });
  const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  assert.ok(STANDALONE_POLICY.includes(`style-src 'sha256-${hash}'`));
  assert.doesNotMatch(page, /<script|http:|https:|<x>/);
});
