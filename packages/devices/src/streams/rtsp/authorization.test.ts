import assert from "node:assert/strict";
import { test } from "node:test";
import { authorizationOf, challengeOf } from "./authorization.ts";

const asked = { method: "GET", uri: "/dir/index.html", count: 1 };

test("the example of RFC 2617", () => {
  const challenge = challengeOf([
    'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"',
  ]);
  assert.ok(challenge);
  const header = authorizationOf(
    challenge,
    { user: "Mufasa", password: "Circle Of Life" },
    { ...asked, nonce: "0a4f113b" },
  );
  assert.match(header, /response="6629fae49393a05397450978507c4ef1"/);
  assert.match(header, /opaque="5ccc069c403ebaf9f0171e9517f40e41".*nc=00000001/);
});

test("the examples of RFC 7616, the stronger one first", () => {
  const rest =
    'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
  const nonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
  const who = { user: "Mufasa", password: "Circle of Life" };
  const both = challengeOf([`Digest algorithm=MD5, ${rest}`, `Digest algorithm=SHA-256, ${rest}`]);
  assert.ok(both);
  assert.match(
    authorizationOf(both, who, { ...asked, nonce }),
    /753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1/,
  );
  const one = challengeOf([`Digest algorithm=MD5, ${rest}`]);
  assert.ok(one);
  assert.match(authorizationOf(one, who, { ...asked, nonce }), /8ca523f5e9506fed4657c9700eebdbec/);
});

test("without qop, as most cameras; Basic only where there is nothing better; what is not known is not answered", () => {
  const digest = 'Digest realm="camera", nonce="aa"';
  assert.equal(challengeOf(['Basic realm="camera"', digest])?.scheme, "digest");
  const basic = challengeOf(['Basic realm="camera"']);
  assert.ok(basic);
  assert.equal(authorizationOf(basic, { user: "a", password: "b" }, { ...asked, nonce: "1" }), "Basic YTpi");
  assert.equal(challengeOf(['Digest algorithm=SHA-512-256, realm="a", nonce="b"', "Negotiate"]), undefined);
  assert.equal(challengeOf([]), undefined);
});

test("a user name cannot add another header", () => {
  const challenge = challengeOf(['Digest realm="r", nonce="n"']);
  assert.ok(challenge);
  const header = authorizationOf(challenge, { user: 'a"\r\nX: 1', password: "b" }, { ...asked, nonce: "1" });
  assert.ok(!/[\r\n]/.test(header));
});
