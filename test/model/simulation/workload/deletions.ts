import type { Action, Outcome } from '../../history/event.ts';
import { type Answer, BUCKET, type Clients, conditionOf, digestOf, outcomeOf } from '../client.ts';
import type { PlannedAction, What } from '../plan.ts';
import { bodyOf, listAt } from '../request.ts';
import { VERSION_ID, named, scalar } from './answers.ts';

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

export async function deleteVersion(
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

export async function deleteObjects(
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
