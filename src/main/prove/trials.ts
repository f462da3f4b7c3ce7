import type { Call } from '../../observe/call.ts';
import type { OpenBackend } from '../backends.ts';
import { AZURE_ANSWERS } from './azure-answers.ts';
import { AzureGround } from './azure-ground.ts';
import { AZURE_REFUSALS } from './azure-trials.ts';
import { GoogleGround } from './google-ground.ts';
import { GOOGLE_ANSWERS, GOOGLE_REFUSALS } from './google-trials.ts';
import type { Territory } from './territory.ts';
import { type TrialResult, runTrials } from './trial.ts';

export const AZURE_TRIALS = [...AZURE_REFUSALS, ...AZURE_ANSWERS];
export const GOOGLE_TRIALS = [...GOOGLE_REFUSALS, ...GOOGLE_ANSWERS];

const BY_TOKEN: ReadonlySet<string> = new Set(['default', 'workloadIdentity', 'managedIdentity', 'clientSecret']);

interface TriedBackend extends Pick<OpenBackend, 'store' | 'client'> {
  /** Kind of the credential in the configuration, where it has one. */
  readonly credential: string | undefined;
}

/** Tries what the adapter of this backend relies on. Nothing behind a backend without a service. */
export async function tryAssumptions(
  { store, client, credential }: TriedBackend,
  { own, passing }: Territory,
  call: Call,
): Promise<TrialResult[]> {
  if (client === undefined) return [];
  const place = { store, container: own, call };
  if (client.kind === 'gcs') {
    return runTrials(GOOGLE_TRIALS, new GoogleGround({ ...place, client: client.gcs }), call.signal);
  }
  const byToken = BY_TOKEN.has(credential ?? '');
  return runTrials(AZURE_TRIALS, new AzureGround({ ...place, client: client.azure, passing, byToken }), call.signal);
}
