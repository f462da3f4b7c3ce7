import type { Action, Outcome } from '../../history/event.ts';
import { type Answer, BUCKET, type Clients, conditionOf, digestOf, outcomeOf } from '../client.ts';
import type { PlannedAction, What } from '../plan.ts';
import { bodyOf, listAt } from '../request.ts';
import { VERSION_ID, named, scalar } from './answers.ts';
import { read } from './reads.ts';

export async function remove(
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

/** So often a deletion is sent, at most; so long after another attempt was given up. Milliseconds. */
const MOST_ATTEMPTS = 4;
const APART = 20;

export async function deleteVersion(
  clients: Clients,
  action: PlannedAction,
  { version, again = false }: Extract<What, { kind: 'deleteVersion' }>,
): Promise<void> {
  const versionId = clients.recorder.pick(action, version) ?? 'null';
  await untilAnswered(clients, { action, again }, (attempt) => deleteOnce(clients, attempt, versionId));
  if (again) await readThroughAll(clients, action, versionId);
}

async function deleteOnce(clients: Clients, action: PlannedAction, versionId: string): Promise<Outcome> {
  const { recorder } = clients;
  const began = recorder.tick();
  const answer = await clients.send('DeleteObject', { ...action, bucket: BUCKET, query: { versionId } });
  const outcome: Outcome = answer.kind === 'response' ? { kind: 'done' } : outcomeOf(answer);
  recorder.add({ ...named(action), began, action: { kind: 'deleteVersion', versionId }, outcome });
  return outcome;
}

export async function deleteObjects(
  clients: Clients,
  action: PlannedAction,
  { keys, version, again = false }: Extract<What, { kind: 'deleteObjects' }>,
): Promise<void> {
  const items = keys.map((key) => ({ key, versionId: clients.recorder.pick({ key }, version) }));
  await untilAnswered(clients, { action, again }, (attempt) => deleteAllOnce(clients, attempt, items));
  for (const { key, versionId } of again ? items : []) {
    await readThroughAll(clients, { ...action, id: `${action.id}.${key}`, key }, versionId);
  }
}

interface Item {
  readonly key: string;
  readonly versionId: string | undefined;
}

/** @returns the outcome of an item that was not answered, if there is one */
async function deleteAllOnce(clients: Clients, action: PlannedAction, items: readonly Item[]): Promise<Outcome> {
  const { recorder } = clients;
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
  const outcomes = items.map(({ key, versionId }) => {
    const asked: Action =
      versionId === undefined ? { kind: 'delete', modes: recorder.modes } : { kind: 'deleteVersion', versionId };
    const outcome = outcomeOfItem(answer, key);
    recorder.add({ ...named(action), id: `${action.id}/${key}`, key, began, action: asked, outcome });
    return outcome;
  });
  return outcomes.find(({ kind }) => kind === 'unknown') ?? { kind: 'done' };
}

/** As a client does that is told nothing, or 503; each time through another gateway. */
async function untilAnswered(
  clients: Clients,
  { action, again }: { readonly action: PlannedAction; readonly again: boolean },
  send: (action: PlannedAction) => Promise<Outcome>,
): Promise<void> {
  let outcome = await send(action);
  for (let attempt = 2; again && outcome.kind === 'unknown' && attempt <= MOST_ATTEMPTS; attempt++) {
    await clients.wait(APART);
    outcome = await send({ ...action, id: `${action.id}.${attempt}`, gateway: action.gateway + attempt - 1 });
  }
}

async function readThroughAll(clients: Clients, action: PlannedAction, versionId: string | undefined): Promise<void> {
  for (const gateway of clients.gateways.keys()) {
    for (const kind of ['get', 'head'] as const) {
      await read(clients, { ...action, id: `${action.id}.${kind}${gateway}`, gateway }, { kind, versionId });
    }
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
