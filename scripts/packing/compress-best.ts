// Compresses the assets of a folder as well as possible, for the tarball: `node scripts/packing/compress-best.ts FOLDER`.
import { compressAssets } from "./precompress.ts";

await compressAssets(process.argv[2] ?? ".");
