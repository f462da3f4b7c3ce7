import type { Outcome } from '../../history/event.ts';
import { BUCKET, type Clients, outcomeOf } from '../client.ts';
import type { PlannedAction, What } from '../plan.ts';
import { bodyOf } from '../request.ts';

const change =
  (name: 'CreateBucket' | 'DeleteBucket', kind: 'createBucket' | 'deleteBucket') =>
  async (clients: Clients, { id, account, gateway }: PlannedAction): Promise<void> => {
    const { recorder } = clients;
    const began = recorder.tick();
    const answer = await clients.send(name, { id, account, gateway, bucket: BUCKET });
    const outcome: Outcome = answer.kind === 'response' ? { kind: 'done' } : outcomeOf(answer);
    recorder.addForBucket({ id, account, began, action: { kind }, outcome });
  };

export const createBucket = change('CreateBucket', 'createBucket');
export const deleteBucket = change('DeleteBucket', 'deleteBucket');

export async function setVersioning(
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
