import type { Outcome } from '../../history/event.ts';
import { BUCKET, type Clients, digestOf, outcomeOf } from '../client.ts';
import type { PlannedAction } from '../plan.ts';
import { bodyOf } from '../request.ts';
import { VERSION_ID, named } from './answers.ts';

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

export function tag(clients: Clients, action: PlannedAction): Promise<void> {
  const text = `<Tagging><TagSet><Tag><Key>by</Key><Value>${action.id}</Value></Tag></TagSet></Tagging>`;
  return amend(clients, action, { name: 'PutObjectTagging', text, aspect: 'tags', value: action.id });
}

export function hold(clients: Clients, action: PlannedAction, { kind }: { readonly kind: string }): Promise<void> {
  const value = kind === 'hold' ? 'ON' : 'OFF';
  return amend(clients, action, {
    name: 'PutObjectLegalHold',
    text: `<LegalHold><Status>${value}</Status></LegalHold>`,
    aspect: 'hold',
    value,
  });
}

/** Behind the end of every run. */
export function retain(clients: Clients, action: PlannedAction): Promise<void> {
  const text = '<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>2024-06-01T00:00:00Z</RetainUntilDate></Retention>';
  return amend(clients, action, { name: 'PutObjectRetention', text, aspect: 'retention', value: 'ON' });
}

/** Of what is archived; it changes nothing that the checker looks at. */
export async function restore(clients: Clients, action: PlannedAction): Promise<void> {
  const versionId = clients.recorder.pick(action, 'version' in action.what ? action.what.version : undefined);
  await clients.send('RestoreObject', {
    ...action,
    bucket: BUCKET,
    query: versionId === undefined ? {} : { versionId },
    body: bodyOf('<RestoreRequest><Days>1</Days></RestoreRequest>'),
  });
}

export async function acl(clients: Clients, action: PlannedAction): Promise<void> {
  const versionId = clients.recorder.pick(action, 'version' in action.what ? action.what.version : undefined);
  await clients.send('PutObjectAcl', {
    ...action,
    bucket: BUCKET,
    query: versionId === undefined ? {} : { versionId },
    headers: { 'x-amz-acl': 'bucket-owner-read' },
  });
}
