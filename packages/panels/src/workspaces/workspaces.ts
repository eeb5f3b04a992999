import { LAST_USED_SLUG, type Layout, PANELS_LIMITS, type WorkspaceParams } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import { queueByKey } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import { patchTab } from "../catalog/panel-state.ts";
import { changeTab } from "../layout/edits.ts";
import { copyOf, emptyLeaf, findTab, newId as randomId } from "../layout/tree.ts";
import { isSameShape, rememberChange, secondsOf, undoChange } from "../layout/undo.ts";
import { workspaceRemoved, workspaceUnknown } from "../problems.ts";
import { workspaceCaller } from "../route-options.ts";
import type { Dependencies, Workspace, Workspaces } from "../services.ts";
import { createShareStore, type ShareStore } from "./share-store.ts";
import { createSharing, notYours } from "./sharing.ts";
import { createWorkspaceStore, type WorkspaceStore, type Write } from "./store.ts";
import { createWatches, type Watches } from "./watches.ts";

const { maxWorkspacesPerOwner, maxLayoutBytes, maxWaitingEdits } = PANELS_LIMITS;
/** Changes of one instance queue, so only other instances can be faster. */
const MAX_TRIES = 100;
/** Between owner and name in a slug. */
const SEPARATOR = "--";

export function openWorkspaces(dependencies: Dependencies, newId = randomId): Workspaces {
  const { database, bus, now, whoIsCalling, owners, onCreated, onFault } = dependencies;
  const store = createWorkspaceStore(database);
  const shares = createShareStore(database);
  const findManaged = createManagedFinder({ store, owners });
  const watches = createWatches({ bus, read: store.read, onFault });

  /** False: there is one already. */
  async function make(ownerId: string, repo: string, root: Layout["root"] = emptyLeaf(newId("panel"))) {
    // Several that are created at the same moment may exceed the limit a little.
    if ((await store.count(ownerId)) >= maxWorkspacesPerOwner) {
      throw new Problem("too-many-of-these", {
        detail: `An owner has at most ${maxWorkspacesPerOwner} workspaces. Remove one first.`,
      });
    }
    return store.insert({ id: newId("workspace"), ownerId, repo, layout: { revision: 0, root }, nowMs: now() });
  }

  async function openShared({ userId }: Caller, { owner, repo }: WorkspaceParams): Promise<Workspace> {
    const ownerId = await owners.idOf(owner);
    const found = ownerId === undefined ? undefined : await store.readByName(ownerId, repo);
    if (ownerId === undefined || !found || !(await shares.has({ workspaceId: found.id, userId })))
      throw notYours(owner);
    return { ...found, ownerId, owner: (await owners.nameOf(ownerId)) ?? owner, isShared: true };
  }

  const change = createChanges({ store, watches, now });

  const openFor: Workspaces["openFor"] = async (caller, params, { create = true } = {}) => {
    const { userId, userName, scopes } = caller;
    const ownerId = await owners.resolve(userId, params.owner);
    if (ownerId === undefined) return openShared(caller, params);
    let found = await store.readByName(ownerId, params.repo);
    if (!found && !(create && scopes.includes("panels"))) throw workspaceUnknown(params);
    if (!found) {
      if (await make(ownerId, params.repo)) onCreated?.({ userId, ...params });
      found = await store.readByName(ownerId, params.repo);
    }
    if (!found) throw workspaceRemoved();
    const owner = ownerId === userId ? userName : ((await owners.nameOf(ownerId)) ?? params.owner);
    return { ...found, ownerId, owner, isShared: false };
  };

  const edit: Workspaces["edit"] = (id, apply, { undoable, revision }) =>
    change(id, (present) => {
      if (revision !== undefined && revision !== present.revision) throw layoutChanged(revision, present.revision);
      const { root, answer } = apply(present.root);
      const isUndoable = undoable && !isSameShape(present.root, root);
      const write = (change: Write) =>
        isUndoable ? store.writeUndoable(change, rememberChange(present.root, root)) : store.write(change);
      return { root, answer, write };
    });

  return {
    async open(request, options) {
      const caller = await workspaceCaller(whoIsCalling, request);
      return { caller, workspace: await openFor(caller, request.params as WorkspaceParams, options) };
    },

    openFor,
    async create(caller, { owner, repo, layoutOf }) {
      const ownerId = await owners.resolve(caller.userId, owner);
      if (ownerId === undefined) throw notYours(owner);
      const like = layoutOf && (await openFor(caller, layoutOf, { create: false }));
      if (!(await make(ownerId, repo, like && copyOf(like.layout.root, newId)))) throw nameTaken(owner, repo);
      onCreated?.({ userId: caller.userId, owner, repo });
      return { owner: (await owners.nameOf(ownerId)) ?? owner, repo };
    },
    read: store.read,
    edit,

    async patchState(id, tabId, patch, drivenBy) {
      const { answer } = await edit(
        id,
        (root) => {
          if (!findTab(root, tabId)) return { root, answer: undefined };
          const next = changeTab(root, tabId, (tab) =>
            patchTab(tab, typeof patch === "function" ? patch(tab.panelState) : patch, drivenBy),
          );
          return { root: next, answer: findTab(next, tabId)?.tab };
        },
        { undoable: false },
      );
      return answer;
    },

    async undo(id, revision, isOnce = async () => false) {
      const undone = await change(id, async (present) => {
        const last = await store.lastChange(id);
        if (!last || (revision !== undefined && revision !== last.revision))
          throw nothingToUndo(revision, last?.revision);
        const write = (change: Write) => store.writeUndo(change, last.revision);
        const once = new Set<string>();
        for (const tab of last.remembered.closed) if (await isOnce(tab)) once.add(tab.id);
        const seconds = secondsOf(present.root, last.remembered, ({ id }) => once.has(id));
        return { root: undoChange(present.root, last.remembered, seconds), answer: seconds, write };
      });
      return { revision: undone.revision, seconds: undone.answer };
    },

    watch: (id, listener, onGone) => watches.watch(id, { listener, onGone }),

    count: store.count,
    people: createSharing({ store, shares, owners, bus, now, findManaged }),
    ...createLists({ store, shares, owners }),
    ...createOwnerCalls({ store, watches, owners, findManaged }),
  };
}

type Stored = Pick<Dependencies, "owners"> & { store: WorkspaceStore };

/** What a person finds. */
function createLists({
  store,
  shares,
  owners,
}: Stored & { shares: ShareStore }): Pick<Workspaces, "list" | "bySlug" | "invitations"> {
  const nameOf = async (ownerId: string): Promise<string> => (await owners.nameOf(ownerId)) ?? "";
  const list: Workspaces["list"] = async (userId, limit) => {
    const all = await owners.listFor(userId);
    const names = new Map(all.map(({ id, name }) => [id, name]));
    const managed = await idsThat(all, ({ id }) => owners.mayManage(userId, id));
    const found = await store.list({ ownerIds: [...names.keys()], ids: await shares.of(userId, "accepted") }, limit);
    const listed = found.map(async ({ ownerId, ...workspace }) => ({
      ...{ ...workspace, owner: names.get(ownerId) ?? (await nameOf(ownerId)) },
      ...{ mayManage: managed.has(ownerId), isShared: !names.has(ownerId) },
    }));
    return Promise.all(listed);
  };

  return {
    list,
    async bySlug(userId, slug) {
      if (slug === LAST_USED_SLUG) return (await list(userId, 1))[0];
      // Names may contain the separator, so every owner that fits is tried.
      for (const { id, name } of await owners.listFor(userId)) {
        if (!slug.toLowerCase().startsWith(`${name.toLowerCase()}${SEPARATOR}`)) continue;
        const found = await store.readByName(id, slug.slice(name.length + SEPARATOR.length));
        if (found) return { owner: name, repo: found.repo };
      }
      const all = await list(userId, PANELS_LIMITS.maxWorkspacesListed);
      return all.find(({ owner, repo }) => `${owner}${SEPARATOR}${repo}`.toLowerCase() === slug.toLowerCase());
    },
    async invitations(userId) {
      const ids = await shares.of(userId, "invited");
      const found = await store.list({ ownerIds: [], ids }, ids.length);
      return Promise.all(found.map(async ({ ownerId, repo }) => ({ owner: await nameOf(ownerId), repo })));
    },
  };
}

async function idsThat<One extends { id: string }>(
  all: readonly One[],
  isSo: (one: One) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const kept = await Promise.all(all.map(async (one) => ((await isSo(one)) ? [one.id] : [])));
  return new Set(kept.flat());
}

type OwnerCalls = Pick<Workspaces, "remove" | "rename" | "removeOf">;

type FindManaged = ReturnType<typeof createManagedFinder>;

/** A workspace for those who decide for its owner; 403 for everybody else. */
function createManagedFinder({ store, owners }: Stored) {
  return async ({ userId }: Caller, { owner, repo }: WorkspaceParams) => {
    const ownerId = await owners.resolve(userId, owner);
    if (ownerId === undefined) throw notYours(owner);
    if (!(await owners.mayManage(userId, ownerId))) {
      throw new Problem("owner-only", {
        detail: `Only an owner of ${owner} can rename, share or remove its workspaces. Ask one of them.`,
      });
    }
    const found = await store.readByName(ownerId, repo);
    return found && { ...found, ownerId };
  };
}

/** What only those who decide for an owner may do. */
function createOwnerCalls({
  store,
  watches,
  owners,
  findManaged,
}: Stored & { watches: Watches; findManaged: FindManaged }): OwnerCalls {
  return {
    async remove(caller, params) {
      const found = await findManaged(caller, params);
      // Only one of several calls deletes the files: the next workspace of this name may have some already.
      if (!found || !(await store.remove(found.id))) return undefined;
      watches.removed(found.id);
      return found;
    },

    async rename(caller, params, repo) {
      const found = await findManaged(caller, params);
      const done = found ? await store.rename(found.id, repo) : "gone";
      if (!found || done === "gone") throw workspaceUnknown(params);
      if (done === "taken") throw nameTaken(params.owner, repo);
      return { id: found.id, owner: (await owners.nameOf(found.ownerId)) ?? params.owner, repo };
    },

    async removeOf(ownerIds) {
      for (const id of await store.removeOf(ownerIds)) watches.removed(id);
    },
  };
}

const nameTaken = (owner: string, repo: string): Problem =>
  new Problem("name-taken", {
    detail: `${owner} has another workspace ${repo}. Choose another name.`,
    errors: [{ pointer: "/repo", message: "is taken" }],
  });

type Change = <Answer>(
  id: string,
  attempt: (present: Layout) => Promise<Attempt<Answer>> | Attempt<Answer>,
) => Promise<{ revision: number; answer: Answer }>;

/** Reads, lets `attempt` decide what to write, and writes, until no other instance was faster. */
function createChanges({
  store,
  watches,
  now,
}: {
  store: WorkspaceStore;
  watches: Watches;
  now: Dependencies["now"];
}): Change {
  const edits = queueByKey({ maxWaiting: maxWaitingEdits, whenFull: tooManyEdits });
  return (id, attempt) =>
    edits.run(id, async () => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const present = await store.read(id);
        if (!present) throw workspaceRemoved();
        const { root, answer, write } = await attempt(present);
        if (root === present.root) return { revision: present.revision, answer };
        const layout = { revision: present.revision + 1, root };
        if (!(await write({ id, layout, text: textOf(root), nowMs: now() }))) continue;
        watches.changed(id, layout);
        return { revision: layout.revision, answer };
      }
      throw new Problem("layout-changed", { detail: "Others keep changing this layout. Try again." });
    });
}

type Attempt<Answer> = { root: Layout["root"]; answer: Answer; write: (change: Write) => Promise<boolean> };

function textOf(root: Layout["root"]): string {
  const text = JSON.stringify(root);
  if (Buffer.byteLength(text) <= maxLayoutBytes) return text;
  throw new Problem("workspace-full", {
    detail: `The tabs of a workspace hold at most ${maxLayoutBytes} bytes of state together. Close some first.`,
  });
}

const tooManyEdits = (): Problem =>
  new Problem("too-many-requests", {
    detail: `${maxWaitingEdits} changes of this workspace are waiting already.`,
    headers: { "retry-after": "1" },
  });

const layoutChanged = (wanted: number, present: number): Problem =>
  new Problem("layout-changed", {
    detail: `The layout is at revision ${present} now, not ${wanted}. Read it again.`,
    errors: [{ pointer: "/revision", message: `is not ${present}` }],
  });

function nothingToUndo(wanted: number | undefined, last: number | undefined): Problem {
  if (last === undefined || wanted === undefined) return new Problem("nothing-to-undo");
  return new Problem("nothing-to-undo", {
    detail: `The last change that can be undone is ${last}, not ${wanted}.`,
    errors: [{ pointer: "/revision", message: `is not ${last}` }],
  });
}
