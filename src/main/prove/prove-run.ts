import type { LoadedConfig } from '../../../config/load.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import { backgroundCall } from '../background-call.ts';
import type { PreflightFinding } from '../preflight/finding.ts';
import { checkBackend } from '../preflight/preflight.ts';
import type { OpenBackend } from '../backends.ts';
import type { SecretSources } from '../secrets.ts';
import { wordsOf } from '../start-error.ts';
import { VERSION } from '../version.ts';
import { type StepResult, runAcceptance } from './acceptance.ts';
import { type Figure, measure } from './figures.ts';
import { ProvedGateway } from './proved-gateway.ts';
import { type ProofReport, redacted } from './report.ts';
import { type Territory, countContainers, enter, leave, newTerritory, territoriesLeft } from './territory.ts';
import type { TrialResult } from './trial.ts';
import { tryAssumptions } from './trials.ts';

interface Proof {
  readonly loaded: LoadedConfig;
  readonly environment: SecretSources['environment'];
  /** Name of the backend in the configuration. */
  readonly backend: string;
  /** How often each round trip is measured; 0: nothing is measured. */
  readonly calls: number;
  /** Ends the work; what was made is removed all the same. */
  readonly signal: AbortSignal;
  /** Told what is done now. */
  readonly tell: (line: string) => void;
}

const CLEAN_UP_MS = 300_000;

/** What the stages of a run fill in, one after the other. */
interface Findings {
  preflight: PreflightFinding[];
  assumptions: TrialResult[];
  acceptance: StepResult[];
  figures: Figure[];
  stopped: string | undefined;
}

/**
 * Proves one backend: first removes what runs before have left, then tries, and in the end removes what it made, also
 * when it was told to stop.
 * @returns what was found, without names and credentials of the account
 * @throws StartError, StoreError when nothing could be begun
 */
export async function prove(proof: Proof): Promise<ProofReport> {
  const territory = newTerritory();
  const { loaded, environment, backend, tell } = proof;
  const date = new Date().toISOString();
  const gateway = await ProvedGateway.open({ loaded, environment, backend, territory });
  const { store } = gateway.backend;
  const settings = loaded.config.backends[backend];
  const credential = settings !== undefined && 'credential' in settings ? settings.credential.kind : undefined;
  const findings: Findings = { preflight: [], assumptions: [], acceptance: [], figures: [], stopped: undefined };
  try {
    const call = backgroundCall(proof.signal);
    tell('looking for what runs before have left');
    const before = await territoriesLeft(store, call);
    const { removed: found } = await leave(store, before, call);
    await enter(store, territory, call);
    try {
      await runStages({ ...proof, gateway, territory, credential, findings });
    } catch (error) {
      findings.stopped = wordsOf(error);
    }
    tell('removing what was made');
    await gateway.stop();
    const cleaning = backgroundCall(AbortSignal.timeout(CLEAN_UP_MS));
    const departure = await departureOf(store, [territory, ...before], cleaning);
    const kind = settings?.kind ?? '';
    const about = { date, version: VERSION, node: process.versions.node, platform: platform(), kind, credential };
    const report = { ...about, ...findings, containers: { found, ...departure } };
    return redacted(report, [`backends.${backend}`, ...(await accountNames(gateway.backend))]);
  } finally {
    await gateway.close();
  }
}

/** A service that answers no more must not cost the report. */
async function departureOf(
  store: BlobStore,
  runs: readonly Territory[],
  call: Call,
): Promise<Omit<ProofReport['containers'], 'found'>> {
  try {
    const departure = await leave(store, runs, call);
    return { ...departure, left: await countContainers(store, runs, call) };
  } catch (error) {
    return { removed: 0, left: undefined, problems: [wordsOf(error)] };
  }
}

/** What a report must not give away: whose account it is, and where. */
async function accountNames({ client, endpoint }: Pick<OpenBackend, 'client' | 'endpoint'>): Promise<string[]> {
  // One that the configuration names may be private.
  const { origin, host } = URL.canParse(endpoint) ? new URL(endpoint) : { origin: '', host: '' };
  if (client?.kind === 'azure') {
    const own = client.azure.endpoint;
    return [own.account, own.host, own.origin, origin, host];
  }
  if (client === undefined) return [];
  const { names, credentials } = client.gcs;
  const project = await credentials.projectId().catch(() => '');
  return [names.prefix, project, origin, host];
}

function platform(): string {
  return `${process.platform} ${process.arch}`;
}

interface Stages extends Proof {
  readonly gateway: ProvedGateway;
  readonly territory: Territory;
  readonly credential: string | undefined;
  readonly findings: Findings;
}

async function runStages({ gateway, territory, credential, findings, calls, signal, tell }: Stages): Promise<void> {
  const { backend } = gateway;
  const call = backgroundCall(signal);
  tell('looking at the account');
  // The run's own system container knows nothing of the account's buckets, whose names nobody needs to see either.
  for await (const finding of checkBackend(backend, undefined, call)) {
    findings.preflight.push(finding);
  }
  tell('trying what the adapter relies on');
  findings.assumptions = await tryAssumptions({ ...backend, credential }, territory, call);
  tell('trying S3 through the gateway');
  const { bucket } = territory;
  findings.acceptance = await runAcceptance({ bucket, start: () => gateway.start(signal), signal });
  if (calls === 0) return;
  tell('measuring');
  const client = await gateway.start(signal);
  const { own: container, speed } = territory;
  findings.figures = await measure({ store: backend.store, container, client, bucket: speed, calls, call });
}
