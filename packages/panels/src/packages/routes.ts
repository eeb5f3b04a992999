import {
  AllowPanel,
  ChoosePanelDevices,
  DraftPanel,
  InstalledPanel,
  OfferedPanels,
  OpenPanelFrame,
  PANEL_PACKAGE_LIMITS,
  PanelFrame,
  PanelPackageParams,
  PanelPackages,
  runsCode,
} from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import { type App, refuseForeignPage } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { createSpace, receiveBody } from "../files/arriving.ts";
import { frameOrigin } from "../frames.ts";
import { about, aboutReading, CHANGING, CURRENT, READING } from "../route-options.ts";
import type { Services } from "../services.ts";
import type { InstalledPanels } from "./panel-packages.ts";
import type { FramePasses } from "./passes.ts";

const LIST = `${CURRENT}/packages`;
const ONE = `${LIST}/:identifier`;

type Given = Pick<Services, "workspaces" | "live" | "log" | "settings"> & {
  installed: InstalledPanels;
  passes: FramePasses;
};

/** …/current/packages: panels from packages. Only a person in a browser allows what one wants. */
export function servePackages(app: App, given: Given): void {
  const { workspaces, live, log, installed } = given;

  const openAs = async (request: FastifyRequest & { params: { identifier: string } }) => {
    const { workspace, caller } = await workspaces.open(request);
    return { caller, workspaceId: workspace.id, key: { workspaceId: workspace.id, ...named(request.params) } };
  };
  /** Every page of the workspace looks again. */
  const changed = async (workspaceId: string, message: string): Promise<void> => {
    log.note(workspaceId, "info", "panels", message);
    await live.tell(workspaceId, { type: "packages" });
  };

  app.get(
    LIST,
    { ...READING, schema: { ...aboutReading("Panels from packages"), response: { 200: PanelPackages } } },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      return installed.list(workspace.id, caller);
    },
  );

  app.get(
    `${LIST}/offered`,
    {
      ...READING,
      schema: {
        ...aboutReading("Panels that can be added", "One version of each package that you may see."),
        response: { 200: OfferedPanels },
      },
    },
    async (request) => ({ panels: await installed.offered((await workspaces.open(request)).caller) }),
  );

  app.put(
    ONE,
    {
      ...CHANGING,
      schema: {
        ...about("Add a panel, or change its version", ALLOWING, [
          ...(["consent-needed", "package-unknown", "package-changed", "too-many-of-these"] as const),
        ]),
        params: PanelPackageParams,
        body: AllowPanel,
        response: { 200: InstalledPanel },
      },
    },
    async (request) => {
      const { caller, key, workspaceId } = await openAs(request);
      if (caller.kind === "Browser") refuseForeignPage(request);
      const panel = await installed.allow(key, caller, request.body);
      await changed(workspaceId, `${caller.userName} added ${panel.panel.title} ${panel.version}`);
      return panel;
    },
  );

  app.delete(
    ONE,
    {
      ...CHANGING,
      schema: {
        ...about("Remove a panel from the workspace", "Tabs that show it stay, and say so.", ["package-unknown"]),
        params: PanelPackageParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { caller, key, workspaceId } = await openAs(request);
      if (!(await installed.remove(key))) throw new Problem("package-unknown");
      await changed(workspaceId, `${caller.userName} removed ${key.identifier}`);
      return reply.code(204).send(null);
    },
  );

  app.put(
    `${ONE}/devices`,
    {
      ...CHANGING,
      schema: {
        ...about("Choose the devices that a panel sees", "It is loaded again, and sees no others.", [
          ...(["consent-needed", "package-unknown", "package-changed"] as const),
        ]),
        access: "browser" as const,
        params: PanelPackageParams,
        querystring: Type.Object({ draft: Type.Optional(Type.Boolean()) }),
        body: ChoosePanelDevices,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      refuseForeignPage(request);
      const { caller, key, workspaceId } = await openAs(request);
      if (caller.kind !== "Browser") throw new Problem("browser-session-needed");
      const { devices } = request.body;
      await installed.chooseDevices(key, caller, devices, request.query.draft === true);
      const which = devices === null ? "every device that fits" : devices.join(", ") || "no device";
      await changed(workspaceId, `${caller.userName} chose for ${key.identifier}: ${which}`);
      return reply.code(204).send(null);
    },
  );

  serveFrames(app, given, openAs);
  serveDrafts(app, given, { openAs, changed });
}

const ALLOWING =
  "`wants` is what this version wants, as you showed it to a person: they allow exactly that, for exactly this checksum. " +
  "Programs may change the version when the new one wants no more: otherwise 409 consent-needed.";

type OpenAs = (
  request: FastifyRequest & { params: { identifier: string } },
) => Promise<{ caller: Caller; workspaceId: string; key: { workspaceId: string; identifier: string } }>;

const named = ({ identifier }: { identifier: string }) => ({ identifier });

function serveFrames(app: App, { settings, installed, passes }: Given, openAs: OpenAs): void {
  app.post(
    `${ONE}/frame`,
    {
      ...CHANGING,
      schema: {
        ...about("The address of a frame that shows a panel", "Works for a day, at its own host name only.", [
          ...(["consent-needed", "package-unknown", "archives-unavailable"] as const),
        ]),
        params: PanelPackageParams,
        body: OpenPanelFrame,
        response: { 200: PanelFrame },
      },
    },
    async (request) => {
      const { key } = await openAs(request);
      const { draft: isDraft = false, ...place } = request.body;
      const { version, sha256, panel, chosen } = await installed.shown(key, isDraft);
      // Now, so that a page gets the reason: its frame could only stay empty.
      await installed.files(key, sha256, isDraft);
      const { entry, style } = panel;
      const { label, path } = passes.make(
        { ...key, sha256, isDraft, entry, style, runsCode: runsCode(panel.wants) },
        place,
      );
      return {
        address: `${frameOrigin(settings.framesUrl, label)}/${path}/`,
        version,
        sha256,
        panel,
        devices: chosen?.ids ?? null,
      };
    },
  );
}

type Drafts = { openAs: OpenAs; changed(workspaceId: string, message: string): Promise<void> };

function serveDrafts(app: App, { installed }: Given, { openAs, changed }: Drafts): void {
  const { maxDraftBytes, maxArrivingBytesPerPerson, maxArrivingBytes } = PANEL_PACKAGE_LIMITS;
  const takeSpace = createSpace({ perPerson: maxArrivingBytesPerPerson, inAll: maxArrivingBytes });
  const aboutDraft = (summary: string, description: string) => ({
    ...about(summary, description, [
      ...(["consent-needed", "package-unknown", "package-changed", "too-many-of-these", "archive-refused"] as const),
    ]),
    params: PanelPackageParams,
  });

  app.register(async (scope: App) => {
    // Read by the handler, after it has checked access.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/zip", (_request, _body, done) => done(null));
    scope.put(
      `${ONE}/draft`,
      {
        ...CHANGING,
        bodyLimit: maxDraftBytes,
        schema: {
          ...about("Send a panel that is not published", "As `backplane panel dev` does. It lasts for a day.", [
            ...(["archive-refused", "package-changed", "too-many-of-these"] as const),
            ...(["payload-too-large", "too-many-requests"] as const),
          ]),
          params: PanelPackageParams,
          body: {
            content: { "application/zip": { schema: Type.Unsafe<Buffer>({}) } },
          },
          response: { 200: DraftPanel },
        },
      },
      async (request) => {
        const { caller: sender } = await openAs(request);
        using _space = takeSpace(sender.userId, request.raw, maxDraftBytes);
        const archive = await receiveBody(request.raw, maxDraftBytes);
        // That may have taken a while, in which the access may have ended.
        const { caller, key, workspaceId } = await openAs(request);
        const draft = await installed.sendDraft(key, caller, archive);
        await changed(workspaceId, `${caller.userName} sent a draft of ${draft.panel.title}`);
        return draft;
      },
    );
  });

  app.put(
    `${ONE}/draft/allowed`,
    {
      ...CHANGING,
      schema: {
        ...aboutDraft("Allow what a draft wants", "For a day. A later draft that wants more asks again."),
        access: "browser" as const,
        body: AllowPanel,
        response: { 200: DraftPanel },
      },
    },
    async (request) => {
      refuseForeignPage(request);
      const { caller, key, workspaceId } = await openAs(request);
      if (caller.kind !== "Browser") throw new Problem("browser-session-needed");
      const draft = await installed.allowDraft(key, caller, request.body);
      await changed(workspaceId, `${caller.userName} allowed the draft of ${draft.panel.title}`);
      return draft;
    },
  );

  app.delete(
    `${ONE}/draft`,
    {
      ...CHANGING,
      schema: { ...aboutDraft("Stop a draft", "Tabs that show it say so."), response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const { key, workspaceId } = await openAs(request);
      if (!(await installed.removeDraft(key))) throw new Problem("package-unknown");
      await changed(workspaceId, `The draft of ${key.identifier} was stopped`);
      return reply.code(204).send(null);
    },
  );
}
