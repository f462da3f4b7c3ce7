import type { Action, Outcome } from '../../history/event.ts';
import { type Answer, BUCKET, type Clients, FROM_UNDER_KEY, UNDER_KEY, conditionOf, outcomeOf } from '../client.ts';
import { HOLD_BYTES } from '../gateway.ts';
import type { PlannedAction, What } from '../plan.ts';
import { type RequestParts, bodyOf, valueAt } from '../request.ts';
import { VERSION_ID, scalar, tellWriter } from './answers.ts';

export async function put(
  clients: Clients,
  action: PlannedAction,
  { size, condition: planned, pause, underKey = false, storageClass }: Extract<What, { kind: 'put' }>,
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
    headers: { ...headers, 'x-amz-meta-writer': id, 'x-amz-storage-class': storageClass, ...(underKey && UNDER_KEY) },
    body,
  });
  const etag = underKey ? tellWriter(clients, id, answer) : md5;
  written(clients, action, { answer, began, ...(etag !== undefined && { etag }), ...(condition && { condition }) });
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

export async function copy(
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
  if (underKey) recorder.copyUnderKey(id);
  recorder.copying(id);
  const began = recorder.tick();
  const answer = await clients.sendAsNeeded('CopyObject', { ...action, bucket: BUCKET, headers }, FROM_UNDER_KEY);
  const told = tellWriter(clients, id, answer);
  if (told !== undefined) recorder.copied(id);
  if (told !== undefined && recorder.isBody(told)) showSource(clients, action, { from, began, etag: told, answer });
  // 404 may be of the source.
  const isOfSource = answer.kind === 'error' && answer.code === 'NoSuchKey';
  written(clients, action, {
    answer: isOfSource ? { ...answer, code: 'SourceNotThere' } : answer,
    began,
    ...(told !== undefined && { etag: told }),
    ...(condition && { condition }),
  });
}

/** A copy shows what its source was at one moment of it, as a read does. */
function showSource(
  { recorder }: Clients,
  { id, account }: PlannedAction,
  { from, began, etag, answer }: { from: string; began: number; etag: string; answer: Answer },
): void {
  const versionId = answer.kind === 'response' ? answer.response.headers?.['x-amz-copy-source-version-id'] : undefined;
  recorder.add({
    id: `${id}.source`,
    key: from,
    account,
    began,
    action: { kind: 'read' },
    outcome: { kind: 'shown', writers: recorder.sourcesOf(etag), ...(versionId !== undefined && { versionId }) },
  });
}

export async function upload(
  clients: Clients,
  action: PlannedAction,
  what: Extract<What, { kind: 'upload' }>,
): Promise<void> {
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
  // A copy that is under no key has the ETag of its bytes.
  if (what.underKey === true) recorder.write(id, `part of ${id}`, false);
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
