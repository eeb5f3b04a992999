import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import sharp from "sharp";
import { readIcon } from "./tab-icon.ts";

const square = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "#d33" } })
    .png()
    .toBuffer();
const svgUrl = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;
const svgIn = (url: string): string => Buffer.from(url.split(",")[1] ?? "", "base64").toString();

const isRefused = (error: unknown) =>
  error instanceof Problem && error.status === 422 && error.errors?.[0]?.pointer === "/displayIcon";

test("a name is kept, known or not; a PNG is kept if it is one, and small", async () => {
  for (const name of ["book", "mdi:chip", "fa-bolt", "⚡"]) assert.equal(await readIcon(name), name);
  const png = `data:image/png;base64,${(await square(32)).toString("base64")}`;
  assert.equal(await readIcon(png), png);
  const large = `data:image/png;base64,${(await square(PANELS_LIMITS.maxIconSide + 1)).toString("base64")}`;
  for (const wrong of [
    ...["x".repeat(PANELS_LIMITS.maxIconNameLength + 1), large, "data:image/png;base64,AAAA"],
    ...["data:text/html,hello", "data:image/jpeg;base64,AAAA", "data:,x", "DATA:text/html,x"],
    ...["data:image/svg+xml,%zz", "data:image/svg+xml,hello", svgUrl("<html><body/></html>")],
  ]) {
    await assert.rejects(readIcon(wrong), isRefused, wrong.slice(0, 80));
  }
});

test("an SVG keeps its drawing, in every encoding", async () => {
  const start = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">';
  const drawing = '<path d="M1 2l3-4z" fill="#d33"/><g transform="rotate(45)"><circle cx="3" r="2"/></g></svg>';
  const svg = `<?xml version="1.0"?><!-- made by hand -->${start}<title>A &amp; B</title>${drawing}`;
  for (const url of [
    svgUrl(svg),
    `data:image/svg+xml;utf8,${svg}`,
    `data:image/svg+xml;charset=utf-8;base64,${Buffer.from(svg).toString("base64")}`,
  ]) {
    assert.equal(svgIn(await readIcon(url)), `${start}${drawing}`);
  }
});

test("an SVG loses whatever could run, load or draw without end", async () => {
  const hostile = `<svg onload="alert(1)" viewBox="0 0 1 1"><script>alert(1)</script>
    <style>@import "//evil.example"</style>
    <foreignObject><iframe src="//evil.example"></iframe></foreignObject><image href="//evil.example/a.png"/>
    <a href="javascript:alert(1)"><path d="M0 0" onclick="alert(1)" fill="url(//evil.example#a)"/></a>
    <use href="#a"/><animate attributeName="href" values="javascript:alert(1)"/>
    <rect style="fill:url('//evil.example')"/>
    <g style="opacity:.5; filter:blur(999px) blur(999px);-webkit-mask:none; fill:red"><rect style="Filter:blur(9px)"/></g>
    <path d="M0 0" fill="url(#g)" id="&lt;script&gt;"/></svg><!DOCTYPE x [<!ENTITY a "b">]>`;
  assert.equal(
    svgIn(await readIcon(svgUrl(hostile))),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">' +
      '<path d="M0 0"/><rect/><g style="opacity:.5; fill:red"><rect style=""/></g><path d="M0 0" fill="url(#g)"/></svg>',
  );
});
