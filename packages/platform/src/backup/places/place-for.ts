import { parseBucket, type S3Settings, type Settings } from "@backplane/kit/settings";
import { BackupFault } from "../format/reader.ts";
import { folderPlace, type Place } from "./folder-place.ts";
import { s3Place } from "./s3-place.ts";

/** Where backups go that are made to this folder or address. */
export function placeFor(settings: Settings, to: string): Place {
  if (!to.startsWith("s3:")) return folderPlace(to);
  return s3Place(bucketOf(settings, to), fetch);
}

/** The store at `s3://bucket/prefix`, with our credentials. */
export function bucketOf({ s3 }: Settings, address: string): S3Settings {
  if (!s3) throw new BackupFault("An S3 store needs S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.");
  return { ...s3, ...parseBucket(address) };
}
