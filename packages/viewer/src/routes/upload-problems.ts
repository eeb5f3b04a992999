import { Problem } from "@backplane/kit/problems";

const MEGABYTE = 1024 * 1024;

export const tooLarge = (maxBytes: number): Problem =>
  new Problem("payload-too-large", { detail: `An image has at most ${Math.floor(maxBytes / MEGABYTE)} MB.` });

export const cutOff = (): Problem =>
  new Problem("malformed-request", { detail: "The upload ended before its last byte." });

/** What is wrong with the image as a field; a body that is nothing but the image is that field. */
export const fieldFault = (message: string): Problem =>
  new Problem("invalid-input", { detail: `/image ${message}.`, errors: [{ pointer: "/image", message }] });

export const wrongType = (): Problem =>
  new Problem("unsupported-media-type", {
    detail:
      "Send the image itself, with its type (image/png, image/jpeg, …) or as application/octet-stream; " +
      "or multipart/form-data with the field image.",
  });
