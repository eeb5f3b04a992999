import { hash } from "node:crypto";
import { takeRandomBytes } from "./random-bytes.ts";

const SECRET_BYTES = 32;

/** 256 random bits behind a prefix that tells what it is, also to those who scan for leaked ones. */
export const newSecret = (prefix: "tok_" | "bpk_" | "int_" | "inv_"): string =>
  `${prefix}${takeRandomBytes(SECRET_BYTES).toString("base64url")}`;

/** A secret has 256 bits of its own, so a plain hash suffices: there is nothing to guess. */
export const hashSecret = (secret: string): string => hash("sha256", secret, "hex");
