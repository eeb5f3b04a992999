import { createHmac, timingSafeEqual } from "node:crypto";
import { PANEL_PACKAGE_LIMITS } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";

/** Which files the frame at one host name gets. */
export type FramePass = {
  workspaceId: string;
  identifier: string;
  sha256: string;
  isDraft: boolean;
  entry: string;
  style: string | null;
  /** Whether code of programs runs in it. */
  runsCode: boolean;
};

export type FramePasses = ReturnType<typeof createFramePasses>;

const PURPOSE = "panel package";
const MAX_LENGTH = 2_000;
const HASH_CHARACTERS = 32;

/**
 * Addresses of frames that show a panel of a package. They are signed, so that any instance can answer them without a table,
 * and each is of one host name: another package, version, tab or window has another one, and so another origin.
 */
export function createFramePasses({ secret, now }: { secret: Uint8Array; now: Clock }) {
  const mac = (text: string): Buffer => createHmac("sha256", secret).update(`${PURPOSE}\n${text}`).digest();

  return {
    make(
      pass: FramePass,
      { tabId, generation, window }: { tabId: string; generation: number; window: string },
    ): { label: string; path: string } {
      const place = JSON.stringify([pass.workspaceId, pass.identifier, pass.sha256, tabId]);
      const label = `p-${mac(place).toString("hex").slice(0, HASH_CHARACTERS)}-${window}-${generation.toString(36)}`;
      const untilMs = now() + PANEL_PACKAGE_LIMITS.passLifeMs;
      const body = Buffer.from(JSON.stringify({ ...pass, label, untilMs })).toString("base64url");
      return { label, path: `${body}.${mac(body).toString("base64url")}` };
    },
    /** Undefined: forged, expired, or of another host name. */
    read(path: string, label: string): FramePass | undefined {
      if (path.length > MAX_LENGTH) return undefined;
      const [body = "", signature = ""] = path.split(".");
      const [expected, given] = [mac(body), Buffer.from(signature, "base64url")];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const pass = JSON.parse(Buffer.from(body, "base64url").toString()) as FramePass & {
        label: string;
        untilMs: number;
      };
      return pass.label === label && pass.untilMs > now() ? pass : undefined;
    },
  };
}
