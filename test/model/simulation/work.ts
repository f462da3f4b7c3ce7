import type { VersionsListing } from '../history/check-listing.ts';
import type { Action, Outcome } from '../history/event.ts';
import {
  type Answer,
  BUCKET,
  type Clients,
  FROM_UNDER_KEY,
  UNDER_KEY,
  conditionOf,
  digestOf,
  fail,
  outcomeOf,
} from './client.ts';
import { HOLD_BYTES } from './gateway.ts';
import type { PlannedAction, What } from './plan.ts';
import { KEYS } from './recorder.ts';
import { type RequestParts, bodyOf, listAt, valueAt } from './request.ts';

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
  list,
  listVersions,
  createBucket,
  deleteBucket,
  setVersioning,
  sweep: (clients, action) => clients.sweep(action),
};

export async function perform(clients: Clients, action: PlannedAction): Promise<void> {
  const work = WORK[action.what.kind] as (clients: Clients, action: PlannedAction, what: What) => Promise<void>;
  await work(clients, action, action.what);
}

const VERSION_ID = 'x-amz-version-id';

async function put(
  clients: Clients,
  action: PlannedAction,
  { size, condition: planned, pause, underKey = false }: Extract<What, { kind: 'put' }>,
): Promise<void> {
  const { recorder } = clients;
  const { id, key } = action;
  const text = size === 'small' ? id : id.padEnd(2 * HOLD_BYTES, '.');
  const md5 = recorder.write(id, text, false);
  const { condition, headers } = conditionOf(recorder, key, planned);
  if (underKey) recorder.writeUnderKey(id);
  const body = pause === undefined ? bodyOf(text) : slowBody(clients, action, text);
  const began = recorder.tick();
  const answer = await clients.send('PutObject', {
    ...action,
    bucket: BUCKET,
    headers: { ...headers, 'x-amz-meta-writer': id, ...(underKey && UNDER_KEY) },
    body,
  });
  const etag = underKey ? tellWriter(clients, id, answer) : md5;
  written(clients, action, { answer, began, ...(etag !== undefined && { etag }), ...(condition && { condition }) });
}

/** ETags under a key are known by being told. */
function tellWriter({ recorder }: Clients, id: string, answer: Answer): string | undefined {
  if (answer.kind !== 'response') return undefined;
  const told = unquoted(answer.response.headers?.['etag'] ?? valueAt(answer.response, 'ETag'));
  if (told !== undefined) recorder.alsoWrites(id, told);
  return told;
}

/** The gateway waits for the second half. */
function slowBody(
  clients: Clients,
  { gateway: index, what }: PlannedAction,
  text: string,
): NonNullable<RequestParts['body']> {
  const gateway = clients.gateway(index);
  const { life } = gateway;
  const half = text.length >> 1;
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from(text.slice(0, half));
    await clients.wait(what.kind === 'put' ? (what.pause ?? 0) : 0);
    await new Promise<void>((resolve) => gateway.resume(life, resolve));
    clients.timeline.stir();
    yield Buffer.from(text.slice(half));
  }
  return { size: text.length, chunks: chunks() };
}

type Write = { readonly answer: Answer; readonly began: number; readonly etag?: string } & Pick<
  Extract<Action, { kind: 'put' }>,
  'condition'
>;

function written(
  { recorder }: Clients,
  { id, key, account }: PlannedAction,
  { answer, began, etag, condition }: Write,
): void {
  const action: Action = {
    kind: 'put',
    modes: recorder.modes,
    ...(etag !== undefined && { etag }),
    ...(condition && { condition }),
  };
  const versionId = answer.kind === 'response' ? answer.response.headers?.[VERSION_ID] : undefined;
  const outcome: Outcome =
    answer.kind === 'response' ? { kind: 'done', versionId: versionId ?? 'null' } : outcomeOf(answer);
  if (outcome.kind === 'done' && etag !== undefined) recorder.learnEtag(key, etag);
  recorder.add({ id, key, account, began, action, outcome });
}

async function copy(
  clients: Clients,
  action: PlannedAction,
  { from, condition: planned, underKey = false }: Extract<What, { kind: 'copy' }>,
): Promise<void> {
  const { recorder } = clients;
  const { id, key } = action;
  const { condition, headers: conditions } = conditionOf(recorder, key, planned);
  const headers = {
    ...conditions,
    'x-amz-copy-source': `${BUCKET}/${from}`,
    'x-amz-metadata-directive': 'REPLACE',
    'x-amz-tagging-directive': 'REPLACE',
    'x-amz-meta-writer': id,
    ...(underKey && UNDER_KEY),
  };
  if (underKey) recorder.writeUnderKey(id);
  recorder.copying(id);
  const began = recorder.tick();
  const answer = await clients.sendAsNeeded('CopyObject', { ...action, bucket: BUCKET, headers }, FROM_UNDER_KEY);
  const told = tellWriter(clients, id, answer);
  if (told !== undefined) recorder.copied(id);
  // 404 may be of the source.
  const isOfSource = answer.kind === 'error' && answer.code === 'NoSuchKey';
  written(clients, action, {
    answer: isOfSource ? { ...answer, code: 'SourceNotThere' } : answer,
    began,
    ...(told !== undefined && { etag: told }),
    ...(condition && { condition }),
  });
}

async function upload(clients: Clients, action: PlannedAction, what: Extract<What, { kind: 'upload' }>): Promise<void> {
  const { recorder } = clients;
  const { id, key, account } = action;
  const [first, second, third] = what.through;
  const shown = what.underKey === true ? UNDER_KEY : {};
  const common = { key, account, bucket: BUCKET };
  const begun = recorder.tick();
  const created = await clients.send('CreateMultipartUpload', {
    ...common,
    id: `${id}.1`,
    gateway: first,
    headers: { 'x-amz-meta-writer': id, ...shown },
  });
  if (created.kind !== 'response') return;
  const uploadId = scalar(valueAt(created.response, 'UploadId'));
  if (what.underKey === true) recorder.writeUnderKey(id);
  const sum = recorder.write(id, `part of ${id}`, true);
  await clients.wait(what.apart);
  const part = await clients.send('UploadPart', {
    ...common,
    id: `${id}.2`,
    gateway: second,
    query: { partNumber: '1', uploadId },
    body: bodyOf(`part of ${id}`),
    headers: shown,
  });
  if (part.kind !== 'response') return;
  await clients.wait(what.apart);
  const { condition, headers } = conditionOf(recorder, key, what.condition);
  const text = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.response.headers?.['etag']}</ETag></Part></CompleteMultipartUpload>`;
  const complete = (name: string, gateway: number): Promise<Answer> =>
    clients.send('CompleteMultipartUpload', {
      ...common,
      id: name,
      gateway,
      headers,
      query: { uploadId },
      body: bodyOf(text),
    });
  const judged = recorder.tick();
  let answer = await complete(`${id}.3`, third);
  if (what.again && isOpen(answer)) {
    await clients.wait(what.apart);
    const repeated = await complete(`${id}.4`, third + 1);
    // Whatever the second says short of success, the first may have been done, or be done still.
    if (repeated.kind === 'response') answer = repeated;
  }
  const isJudged = answer.kind === 'error' && ['PreconditionFailed', 'NoSuchKey'].includes(answer.code);
  const etag = what.underKey === true ? tellWriter(clients, id, answer) : sum;
  const began = isJudged ? judged : begun;
  written(clients, action, { answer, began, ...(etag !== undefined && { etag }), ...(condition && { condition }) });
}

function isOpen(answer: Answer): boolean {
  return answer.kind !== 'response' && outcomeOf(answer).kind === 'unknown';
}

async function remove(
  clients: Clients,
  action: PlannedAction,
  { condition: planned }: Extract<What, { kind: 'delete' }>,
): Promise<void> {
  const { recorder } = clients;
  const { condition, headers } = conditionOf(recorder, action.key, planned);
  const began = recorder.tick();
  const answer = await clients.send('DeleteObject', { ...action, bucket: BUCKET, headers });
  const versionId = answer.kind === 'response' ? answer.response.headers?.[VERSION_ID] : undefined;
  const outcome: Outcome =
    answer.kind === 'response' ? { kind: 'done', ...(versionId !== undefined && { versionId }) } : outcomeOf(answer);
  recorder.add({
    ...named(action),
    began,
    action: { kind: 'delete', modes: recorder.modes, ...(condition && { condition }) },
    outcome,
  });
}

function named({ id, key, account }: PlannedAction): Pick<PlannedAction, 'id' | 'key' | 'account'> {
  return { id, key, account };
}

async function deleteVersion(
  clients: Clients,
  action: PlannedAction,
  { version }: Extract<What, { kind: 'deleteVersion' }>,
): Promise<void> {
  const { recorder } = clients;
  const versionId = recorder.pick(action, version) ?? 'null';
  const began = recorder.tick();
  const answer = await clients.send('DeleteObject', { ...action, bucket: BUCKET, query: { versionId } });
  recorder.add({
    ...named(action),
    began,
    action: { kind: 'deleteVersion', versionId },
    outcome: answer.kind === 'response' ? { kind: 'done' } : outcomeOf(answer),
  });
}

async function deleteObjects(
  clients: Clients,
  action: PlannedAction,
  { keys, version }: Extract<What, { kind: 'deleteObjects' }>,
): Promise<void> {
  const { recorder } = clients;
  const items = keys.map((key) => ({ key, versionId: recorder.pick({ key }, version) }));
  const objects = items.map(
    ({ key, versionId }) =>
      `<Object><Key>${key}</Key>${versionId === undefined ? '' : `<VersionId>${versionId}</VersionId>`}</Object>`,
  );
  const text = `<Delete>${objects.join('')}</Delete>`;
  const began = recorder.tick();
  const answer = await clients.send('DeleteObjects', {
    ...action,
    bucket: BUCKET,
    headers: digestOf(text),
    body: bodyOf(text),
  });
  for (const { key, versionId } of items) {
    const asked: Action =
      versionId === undefined ? { kind: 'delete', modes: recorder.modes } : { kind: 'deleteVersion', versionId };
    recorder.add({
      ...named(action),
      id: `${action.id}/${key}`,
      key,
      began,
      action: asked,
      outcome: outcomeOfItem(answer, key),
    });
  }
}

function outcomeOfItem(answer: Answer, key: string): Outcome {
  if (answer.kind !== 'response') return outcomeOf(answer);
  const failed = listAt(answer.response, 'Error').find((item) => item['Key'] === key);
  if (failed !== undefined) {
    return outcomeOf({ kind: 'error', code: scalar(failed['Code']), headers: {}, cause: undefined });
  }
  const marker = listAt(answer.response, 'Deleted').find((item) => item['Key'] === key)?.['DeleteMarkerVersionId'];
  return { kind: 'done', ...(typeof marker === 'string' && { versionId: marker }) };
}

async function get(
  clients: Clients,
  action: PlannedAction,
  { kind, version }: Extract<What, { kind: 'get' | 'head' }>,
): Promise<void> {
  const { recorder } = clients;
  const versionId = recorder.pick(action, version);
  const began = recorder.tick();
  const query = versionId === undefined ? {} : { versionId };
  const answer = await clients.sendAsNeeded(kind === 'get' ? 'GetObject' : 'HeadObject', {
    ...action,
    bucket: BUCKET,
    query,
  });
  const outcome = answer.kind === 'response' ? shownIn(clients, action, answer) : outcomeOf(answer);
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

function scalar(value: unknown): string {
  return typeof value === 'string' ? value : fail(`no text: ${JSON.stringify(value)}`);
}

function unquoted(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replaceAll('"', '') : undefined;
}

interface Amendment {
  readonly name: 'PutObjectTagging' | 'PutObjectLegalHold' | 'PutObjectRetention';
  readonly text: string;
  readonly aspect: 'tags' | 'hold' | 'retention';
  readonly value: string;
}

async function amend(clients: Clients, action: PlannedAction, how: Amendment): Promise<void> {
  const { recorder } = clients;
  const { what } = action;
  const versionId = recorder.pick(action, 'version' in what ? what.version : undefined);
  const began = recorder.tick();
  const query = versionId === undefined ? {} : { versionId };
  const answer = await clients.send(how.name, {
    ...action,
    bucket: BUCKET,
    query,
    headers: digestOf(how.text),
    body: bodyOf(how.text),
  });
  const told = answer.kind === 'response' ? answer.response.headers?.[VERSION_ID] : undefined;
  const outcome: Outcome =
    answer.kind === 'response' ? { kind: 'done', ...(told !== undefined && { versionId: told }) } : outcomeOf(answer);
  // A marker on top is answered 405, too.
  if (outcome.kind === 'marker' && versionId === undefined) return;
  recorder.add({
    ...named(action),
    began,
    action: { kind: 'amend', aspect: how.aspect, value: how.value, ...(versionId !== undefined && { versionId }) },
    outcome,
  });
}

function tag(clients: Clients, action: PlannedAction): Promise<void> {
  const text = `<Tagging><TagSet><Tag><Key>by</Key><Value>${action.id}</Value></Tag></TagSet></Tagging>`;
  return amend(clients, action, { name: 'PutObjectTagging', text, aspect: 'tags', value: action.id });
}

function hold(clients: Clients, action: PlannedAction, { kind }: { readonly kind: string }): Promise<void> {
  const value = kind === 'hold' ? 'ON' : 'OFF';
  return amend(clients, action, {
    name: 'PutObjectLegalHold',
    text: `<LegalHold><Status>${value}</Status></LegalHold>`,
    aspect: 'hold',
    value,
  });
}

/** Behind the end of every run. */
function retain(clients: Clients, action: PlannedAction): Promise<void> {
  const text = '<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>2024-06-01T00:00:00Z</RetainUntilDate></Retention>';
  return amend(clients, action, { name: 'PutObjectRetention', text, aspect: 'retention', value: 'ON' });
}

async function acl(clients: Clients, action: PlannedAction): Promise<void> {
  const versionId = clients.recorder.pick(action, 'version' in action.what ? action.what.version : undefined);
  await clients.send('PutObjectAcl', {
    ...action,
    bucket: BUCKET,
    query: versionId === undefined ? {} : { versionId },
    headers: { 'x-amz-acl': 'bucket-owner-read' },
  });
}

async function getTags(
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

async function list(clients: Clients, action: PlannedAction): Promise<void> {
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

async function listVersions(clients: Clients, action: PlannedAction): Promise<void> {
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

async function createBucket(clients: Clients, action: PlannedAction): Promise<void> {
  const { recorder } = clients;
  const { id, account } = action;
  const began = recorder.tick();
  const answer = await clients.send('CreateBucket', { id, account, gateway: action.gateway, bucket: BUCKET });
  const outcome: Outcome = answer.kind === 'response' ? { kind: 'done' } : outcomeOf(answer);
  recorder.addForBucket({ id, account, began, action: { kind: 'createBucket' }, outcome });
}

async function deleteBucket(clients: Clients, action: PlannedAction): Promise<void> {
  const { recorder } = clients;
  const { id, account } = action;
  const began = recorder.tick();
  const answer = await clients.send('DeleteBucket', { id, account, gateway: action.gateway, bucket: BUCKET });
  const outcome: Outcome = answer.kind === 'response' ? { kind: 'done' } : outcomeOf(answer);
  recorder.addForBucket({ id, account, began, action: { kind: 'deleteBucket' }, outcome });
}

async function setVersioning(
  clients: Clients,
  action: PlannedAction,
  { to }: Extract<What, { kind: 'setVersioning' }>,
): Promise<void> {
  const text = `<VersioningConfiguration><Status>${to}</Status></VersioningConfiguration>`;
  await clients.send('PutBucketVersioning', {
    id: action.id,
    account: action.account,
    gateway: action.gateway,
    bucket: BUCKET,
    body: bodyOf(text),
  });
}
