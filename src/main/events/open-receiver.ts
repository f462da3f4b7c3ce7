import { identityTokens } from '../../../adapters/azure/index.ts';
import { createCredentials } from '../../../adapters/gcs/index.ts';
import type { AzureIdentityConfig } from '../../../config/schema-backends.ts';
import { type EventTarget, SERVICE_URL } from '../../../config/schema-events.ts';
import type { Config } from '../../../config/schema.ts';
import { azureIdentity, gcsCredential } from '../cloud-credentials.ts';
import { atPlace } from '../open-store.ts';
import { type SecretSources, readSecret, readTextFile } from '../secrets.ts';
import { type Authorization, azureQueue, eventGrid, serviceBus, sharedAccess } from './azure-targets.ts';
import { pubSub } from './google-targets.ts';
import { cloudEvents, webhook } from './http-targets.ts';
import { StartError } from '../start-error.ts';
import type { EventReceiver } from './receiver.ts';

/** Audiences of tokens, and what they are for. */
const EVENT_GRID_SCOPE = 'https://eventgrid.azure.net/.default';
const SERVICE_BUS_SCOPE = 'https://servicebus.azure.net/.default';
const PUB_SUB_SCOPE = 'https://www.googleapis.com/auth/pubsub';

/** Where a receiver gets what it proves its identity with. */
interface ReceiverSurroundings {
  /** Path of the target's settings, for messages. */
  readonly where: string;
  readonly sources: SecretSources;
  /** How token services are reached. */
  readonly outbound: Config['outbound'];
}

interface Reference {
  readonly file: string | undefined;
  readonly variable: string | undefined;
}

/** @throws StartError: a secret cannot be read, or is of no use */
export function openReceiver(target: EventTarget, surroundings: ReceiverSurroundings): EventReceiver {
  const { where, sources } = surroundings;
  const secret = (name: string, reference: Reference): string | undefined =>
    reference.file === undefined && reference.variable === undefined
      ? undefined
      : readSecret(reference, `${where}.${name}`, sources);
  switch (target.kind) {
    case 'webhook':
      return webhook(target.url, secret('secret', { file: target.secretFile, variable: target.secretEnv }));
    case 'cloudEvents': {
      const token = secret('token', { file: target.tokenFile, variable: target.tokenEnv });
      return cloudEvents(target.url, target.mode, token);
    }
    case 'azureQueue':
      return azureQueue(queueUrl({ file: target.urlFile, variable: target.urlEnv }, `${where}.url`, sources));
    case 'eventGrid': {
      const key = secret('key', { file: target.keyFile, variable: target.keyEnv });
      if (key !== undefined) return eventGrid(target.url, { key });
      return eventGrid(target.url, { authorization: entra(target.credential, EVENT_GRID_SCOPE, surroundings) });
    }
    case 'serviceBus': {
      const key = secret('key', { file: target.keyFile, variable: target.keyEnv });
      const { url, keyName = '', credential } = target;
      const byKey = key !== undefined && sharedAccess(url, { keyName, key });
      return serviceBus(url, byKey || entra(credential, SERVICE_BUS_SCOPE, surroundings));
    }
    case 'pubSub': {
      const credential = gcsCredential(target.credential, `${where}.credential`, sources);
      const { proxy } = surroundings.outbound;
      const google = atPlace(where, () => createCredentials({ credential, proxy, scope: PUB_SUB_SCOPE }));
      return pubSub(target, () => google.authorization());
    }
    default:
      return target satisfies never;
  }
}

/** A URL with a SAS in it. @throws StartError without a cause, which would show the URL */
function queueUrl(reference: Reference, where: string, sources: SecretSources): string {
  const { data, error } = SERVICE_URL.safeParse(readSecret(reference, where, sources));
  if (data === undefined) throw new StartError([`${where}: ${error.issues[0]?.message ?? 'expected a URL'}`]);
  return data;
}

/** By a token of Microsoft Entra ID. */
function entra(
  credential: AzureIdentityConfig | undefined,
  scope: string,
  { where, sources, outbound: { caFile } }: ReceiverSurroundings,
): Authorization {
  if (credential === undefined) throw new Error('the schema asks for a key or a credential');
  const ca = caFile === undefined ? undefined : readTextFile(caFile, 'outbound.caFile', sources);
  return identityTokens(azureIdentity(credential, `${where}.credential`, sources), scope, ca);
}
