import type { VersionsListing } from '../../history/check-listing.ts';
import type { Outcome } from '../../history/event.ts';
import { type Answer, BUCKET, type Clients, fail, outcomeOf } from '../client.ts';
import type { PlannedAction, What } from '../plan.ts';
import { KEYS } from '../recorder.ts';
import { listAt } from '../request.ts';
import { VERSION_ID, named, unquoted } from './answers.ts';

export async function get(
  clients: Clients,
  action: PlannedAction,
  { kind, version }: Extract<What, { kind: 'get' | 'head' }>,
): Promise<void> {
  await read(clients, action, { kind, versionId: clients.recorder.pick(action, version) });
}

/** GET or HEAD of the current object, or of the version with this id. */
export async function read(
  clients: Clients,
  action: PlannedAction,
  { kind, versionId }: { readonly kind: 'get' | 'head'; readonly versionId: string | undefined },
): Promise<void> {
  const { recorder } = clients;
  const began = recorder.tick();
  const query = versionId === undefined ? {} : { versionId };
  const answer = await clients.sendAsNeeded(kind === 'get' ? 'GetObject' : 'HeadObject', {
    ...action,
    bucket: BUCKET,
    query,
  });
  const outcome =
    answer.kind === 'response' ? shownIn(clients, { ...action, what: { kind } }, answer) : outcomeOf(answer);
  recorder.add({
    ...named(action),
    began,
    action: { kind: 'read', ...(versionId !== undefined && { versionId }) },
    outcome,
  });
}

/** Bytes and name of the writer must fit. */
export function shownIn(
  { recorder }: Clients,
  { id, key, what }: PlannedAction,
  { response, text }: Extract<Answer, { kind: 'response' }>,
): Outcome {
  const writer = response.headers?.['x-amz-meta-writer'] ?? 'nobody';
  const etag = unquoted(response.headers?.['etag']) ?? '';
  const versionId = response.headers?.[VERSION_ID];
  const isUnderKey = response.headers?.['x-amz-server-side-encryption'] === undefined;
  if (isUnderKey) recorder.alsoWrites(writer, etag);
  if (what.kind === 'get' && isUnderKey) recorder.checkEncrypted(id, { etag, writer, text });
  else if (what.kind === 'get') recorder.checkBody(id, etag, text);
  recorder.learnEtag(key, etag);
  if (versionId !== undefined) recorder.learn(key, versionId);
  return { kind: 'shown', writers: [writer], ...(versionId !== undefined && { versionId }) };
}

export async function getTags(
  clients: Clients,
  action: PlannedAction,
  { version }: Extract<What, { kind: 'getTags' | 'tag' }>,
): Promise<void> {
  const { recorder } = clients;
  const versionId = recorder.pick(action, version);
  const began = recorder.tick();
  const answer = await clients.send('GetObjectTagging', {
    ...action,
    bucket: BUCKET,
    query: versionId === undefined ? {} : { versionId },
  });
  const told = answer.kind === 'response' ? answer.response.headers?.[VERSION_ID] : undefined;
  const outcome: Outcome =
    answer.kind === 'response'
      ? { kind: 'aspect', value: tagIn(answer), ...(told !== undefined && { versionId: told }) }
      : outcomeOf(answer);
  if (outcome.kind === 'marker' && versionId === undefined) return;
  recorder.add({
    ...named(action),
    began,
    action: { kind: 'readAspect', aspect: 'tags', ...(versionId !== undefined && { versionId }) },
    outcome,
  });
}

export function tagIn({ response }: Extract<Answer, { kind: 'response' }>): string | undefined {
  return (
    /"by","Value":"([^"]*)"/.exec(JSON.stringify(response.body))?.[1] ??
    /"Value":"([^"]*)"/.exec(JSON.stringify(response.body))?.[1]
  );
}

export async function list(clients: Clients, action: PlannedAction): Promise<void> {
  const { recorder } = clients;
  const began = recorder.tick();
  const answer = await clients.send('ListObjectsV2', {
    id: action.id,
    gateway: action.gateway,
    account: action.account,
    bucket: BUCKET,
    query: { 'list-type': '2' },
  });
  for (const key of KEYS) {
    const add = (outcome: Outcome): void =>
      recorder.add({ ...named(action), id: `${action.id}/${key}`, key, began, action: { kind: 'read' }, outcome });
    if (answer.kind !== 'response') {
      add(outcomeOf(answer));
      continue;
    }
    const found = listAt(answer.response, 'Contents').filter((item) => item['Key'] === key);
    if (found.length > 1) recorder.wrong.push(`${action.id} lists ${key} twice`);
    const etag = unquoted(found[0]?.['ETag']);
    if (etag !== undefined) recorder.learnEtag(key, etag);
    add(etag === undefined ? { kind: 'absent' } : { kind: 'shown', writers: recorder.writersOf(etag) });
  }
}

export async function listVersions(clients: Clients, action: PlannedAction): Promise<void> {
  const { recorder } = clients;
  const began = recorder.tick();
  const answer = await clients.send('ListObjectVersions', {
    id: action.id,
    gateway: action.gateway,
    account: action.account,
    bucket: BUCKET,
  });
  if (answer.kind !== 'response') return;
  const ended = recorder.tick();
  for (const key of KEYS) {
    recorder.listings.push({
      id: action.id,
      key,
      account: action.account,
      began,
      ended,
      versions: versionsIn(clients, key, answer),
    });
  }
}

/** What a listing of versions says of a key. */
export function versionsIn(
  { recorder }: Clients,
  key: string,
  { response }: Extract<Answer, { kind: 'response' }>,
): VersionsListing['versions'] {
  return listAt(response, 'entries').flatMap(({ Version: version, DeleteMarker: mark }) => {
    const entry = (version ?? mark ?? fail('an entry of no kind')) as Readonly<Record<string, unknown>>;
    if (entry['Key'] !== key) return [];
    const versionId = String(entry['VersionId']);
    recorder.learn(key, versionId);
    const latest = entry['IsLatest'] === true;
    return [
      version === undefined
        ? { versionId, latest, marker: true }
        : { versionId, latest, marker: false, writers: recorder.writersOf(unquoted(entry['ETag']) ?? '') },
    ];
  });
}
