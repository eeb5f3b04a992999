import { execFileSync } from "node:child_process";
import dns from "node:dns";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import tls from "node:tls";

const DOMAIN = "example.org";
/** The names of the shipped files. */
export const PUBLIC = {
  platform: `backplane.${DOMAIN}`,
  frames: `*.panels.${DOMAIN}`,
  gateway: `gateway.${DOMAIN}`,
  viewer: `viewer.${DOMAIN}`,
} as const;

/** Chromium: these names lead to this address, and nothing else leads anywhere. */
export const namesInChromium = (address: string): string =>
  `--host-resolver-rules=MAP *.${DOMAIN} ${address}, MAP * ~NOTFOUND, EXCLUDE ${address}`;

/** Programs in this process: these names lead to this address, and the authority is trusted. */
export function reachPublicNames(authority: string, address: string): void {
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), authority]);
  const lookUp = dns.lookup;
  const here = (name: string) => (name.endsWith(`.${DOMAIN}`) ? address : name);
  dns.lookup = Object.assign(
    (name: string, ...rest: unknown[]) => Reflect.apply(lookUp, dns, [here(name), ...rest]),
    lookUp,
  ) as typeof lookUp;
}

/** An authority of one's own, and a certificate for all names: backplane.crt and backplane.key. Returns the authority's file. */
export function makeCertificates(folder: string): string {
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl("req", "-x509", ...key, "-days", "2", "-subj", "/CN=Test authority", "-keyout", "ca.key", "-out", "ca.crt");
  openssl("req", ...key, "-subj", `/CN=${PUBLIC.platform}`, "-keyout", "backplane.key", "-out", "backplane.csr");
  writeFileSync(
    join(folder, "names"),
    `subjectAltName=${Object.values(PUBLIC)
      .map((name) => `DNS:${name}`)
      .join()}\n`,
  );
  const signed = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
  openssl("x509", "-req", "-in", "backplane.csr", ...signed, "-out", "backplane.crt");
  return join(folder, "ca.crt");
}
