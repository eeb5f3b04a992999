import { basename } from "node:path";
import { PAGE_PATH } from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import type { Pastes } from "../services.ts";
import { openPasteFile } from "./open-paste-file.ts";
import { checkedId } from "./paste-id.ts";
import { IdParams, NO_STORE, TAGS } from "./schemas.ts";

/** The pictures themselves. */
export function serveFiles(app: App, pastes: Pastes): void {
  for (const file of ["optimized", "original"] as const) {
    app.get(
      `${PAGE_PATH}/:id/${file}.png`,
      {
        compress: false,
        schema: { tags: TAGS, summary: `The ${file} file`, params: IdParams, produces: ["image/png"] },
      },
      async (request, reply) => {
        const { path, bytes, handle } = await openPasteFile(pastes, checkedId(request.params.id), file);
        return reply
          .headers({
            ...NO_STORE,
            "content-length": String(bytes),
            // As it is called now; letters, digits and hyphens, which RFC 6266 takes as they are.
            "content-disposition": `inline; filename="${basename(path)}"`,
          })
          .type("image/png")
          .send(handle.createReadStream({ end: Math.max(0, bytes - 1) }));
      },
    );
  }
  app.get(
    `${PAGE_PATH}/:id/thumbnail.webp`,
    {
      compress: false,
      schema: { tags: TAGS, summary: "A small picture of it", params: IdParams, produces: ["image/webp"] },
    },
    async (request, reply) => {
      const bytes = await pastes.thumbnail(checkedId(request.params.id));
      return reply
        .headers({ ...NO_STORE, "content-disposition": 'inline; filename="thumbnail.webp"' })
        .type("image/webp")
        .send(bytes);
    },
  );
}
