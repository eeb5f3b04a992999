import { requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";

/** Before anything is read: who may not call learns nothing of what a body must be, and sends none in vain. */
export function askWhoFirst(scope: App, whoIsCalling: WhoIsCalling): void {
  scope.addHook("onRequest", async (request) => {
    await requireCaller(whoIsCalling, request, "panels");
  });
}

/** JSON and nothing else; but many clients name the type of a body also where they send none. */
export function readJson(scope: App): void {
  const parse = scope.getDefaultJsonParser("error", "error");
  scope.removeContentTypeParser(["application/json", "text/plain"]);
  scope.addContentTypeParser("application/json", { parseAs: "string" }, (request, text, done) => {
    if (text === "") done(null, null);
    else parse(request, text as string, done);
  });
}
