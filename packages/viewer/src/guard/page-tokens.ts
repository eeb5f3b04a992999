import { createHash, createHmac } from "node:crypto";
import { realpathSync } from "node:fs";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import { isSameSecret } from "@backplane/kit/http";

export type PageTokenVerdict = "ok" | "wrong" | "expired" | "other-project";

export type PageTokens = {
  make(): string;
  check(token: string): PageTokenVerdict;
};

export type PageTokenOptions = {
  /** Its folder; different paths to the same folder are the same project. */
  project: string;
  key: Uint8Array;
  now: Clock;
};

const PROJECT_ID_CHARACTERS = 16;
const TOKEN = /^(?<claim>v1\.(?<project>[0-9a-f]{16})\.(?<expires>[0-9]{1,15}))\.(?<mac>[\w-]{43})$/;

/**
 * A token proves that this viewer served the page, for this project. The page's origin cannot prove that: in a sandboxed
 * frame it is "null". Valid for every process that serves the project, until it expires.
 */
export function createPageTokens({ project, key, now }: PageTokenOptions): PageTokens {
  const projectId = projectIdOf(project);
  const macOf = (claim: string) => createHmac("sha256", key).update(claim).digest("base64url");
  return {
    make() {
      const claim = `v1.${projectId}.${now() + VIEWER_LIMITS.pageTokenLifeMs}`;
      return `${claim}.${macOf(claim)}`;
    },
    check(token) {
      const { claim = "", project: tokenProject, expires, mac = "" } = TOKEN.exec(token)?.groups ?? {};
      if (tokenProject === undefined) return "wrong";
      // The key of another project is not known here, so the rest cannot be checked.
      if (tokenProject !== projectId) return "other-project";
      if (!isSameSecret(mac, macOf(claim))) return "wrong";
      return now() < Number(expires) ? "ok" : "expired";
    },
  };
}

const projectIdOf = (project: string): string =>
  createHash("sha256").update(realpathSync(project)).digest("hex").slice(0, PROJECT_ID_CHARACTERS);
