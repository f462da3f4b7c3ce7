import type { Config } from '../../config/schema.ts';
import { AccessLogs } from '../access-logs/access-logs.ts';
import { logDelivery } from '../access-logs/deliver.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import { type Manifest, SYSTEM_TIME } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import type { Log } from '../observe/log.ts';
import { operationSettings } from './operation-settings.ts';

interface ServerAccessLogsOptions {
  readonly config: Config;
  readonly identities: { readonly accounts: AccountDirectory };
  readonly manifest: Manifest;
  /** Why no change is made at the moment; undefined: changes are made. */
  readonly changesRefused: () => string | undefined;
  readonly newCall: (signal: AbortSignal) => Call;
  readonly log: Log;
}

/** The server access logs of buckets that this process serves. */
export function openServerAccessLogs({ config, identities, ...options }: ServerAccessLogsOptions): AccessLogs {
  const { manifest, changesRefused, newCall, log } = options;
  const settings = operationSettings(config);
  const { accounts } = identities;
  const deliver = logDelivery({ manifest, accounts, settings, changesRefused, now: SYSTEM_TIME.now });
  return new AccessLogs({ settings: config.serverAccessLogs, deliver, newCall, time: SYSTEM_TIME, log });
}
