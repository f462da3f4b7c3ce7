import type { Config } from '../../../config/schema.ts';
import type { QuotaNotice, TellQuota } from '../../manifest/index.ts';
import type { SecretSources } from '../secrets.ts';
import { openReceiver } from './open-receiver.ts';
import type { NoticeEvent } from './receiver.ts';

/**
 * Tells the target that `quotas.target` names of quotas that are used up, or nearly. Undefined: it names none.
 * @throws StartError: a secret of the target cannot be read
 */
export function quotaTeller(
  { quotas, events, outbound }: Pick<Config, 'quotas' | 'events' | 'outbound'>,
  sources: SecretSources,
): TellQuota | undefined {
  if (quotas.target === undefined) return undefined;
  const at = events.targets.findIndex(({ name }) => name === quotas.target);
  const target = events.targets[at];
  if (target === undefined) throw new Error('the schema asks for a target of that name');
  const receiver = openReceiver(target, { where: `events.targets[${String(at)}]`, sources, outbound });
  return (notice, call) => receiver.notify(quotaEvent(notice), call);
}

/** https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
export function quotaEvent({ id, owner, percent, since, quota, used }: QuotaNotice): NoticeEvent {
  return {
    specversion: '1.0',
    id,
    source: 's3gw:quotas',
    type: 's3gw.quota.reached',
    subject: `${owner.kind}/${owner.name}`,
    time: new Date(since).toISOString(),
    datacontenttype: 'application/json',
    data: { ...owner, percent, quota, used },
  };
}
