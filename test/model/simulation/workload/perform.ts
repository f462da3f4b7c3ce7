import type { Clients } from '../client.ts';
import type { PlannedAction, What } from '../plan.ts';
import { put, copy, upload } from './writes.ts';
import { remove, deleteVersion, deleteObjects } from './deletions.ts';
import { get, getTags, list, listVersions } from './reads.ts';
import { tag, hold, retain, restore, acl } from './amendments.ts';
import { createBucket, deleteBucket, setVersioning } from './buckets.ts';

type Work<Kind extends What['kind']> = (
  clients: Clients,
  action: PlannedAction,
  what: Extract<What, { kind: Kind }>,
) => Promise<void>;

/** What each kind of action sends, and how its answer is written down. */
const WORK: { readonly [Kind in What['kind']]: Work<Kind> } = {
  put,
  copy,
  upload,
  delete: remove,
  deleteVersion,
  deleteObjects,
  get,
  head: get,
  tag,
  getTags,
  acl,
  hold,
  unhold: hold,
  retain,
  restore,
  list,
  listVersions,
  createBucket,
  deleteBucket,
  setVersioning,
  sweep: (clients, action) => clients.sweep(action),
  lifecycle: (clients, action) => clients.lifecycle(action),
};

export async function perform(clients: Clients, action: PlannedAction): Promise<void> {
  const work = WORK[action.what.kind] as (clients: Clients, action: PlannedAction, what: What) => Promise<void>;
  await work(clients, action, action.what);
}
