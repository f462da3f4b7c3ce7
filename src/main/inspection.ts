import process from 'node:process';
import { hostname } from 'node:os';
import type { Config } from '../../config/schema.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import { inspectorApi } from '../admin/inspector/routes.ts';
import { type FoundPassReport, lifecycleRoutes } from '../admin/lifecycle/routes.ts';
import { inspectorPage } from '../admin/page/page.ts';
import { usageRoutes } from '../admin/usage/routes.ts';
import { peerAddresses } from '../admin/replicas/peer-addresses.ts';
import { Replicas } from '../admin/replicas/replicas.ts';
import type { AdminPart } from '../admin/server.ts';
import { type EventTally, type Manifest, createObjectInspector, readPassReports } from '../manifest/index.ts';
import type { EventsOverview } from '../admin/overview/contract.ts';
import { MAX_BEHIND } from '../admin/overview/merge-overviews.ts';
import { Traffic } from '../admin/overview/traffic.ts';
import type { BackendCalls } from '../observe/call-watch.ts';
import { hostResolver } from '../protocol/address.ts';
import type { Call } from '../observe/call.ts';
import { RequestJournal, type RequestSource } from '../admin/journal/journal.ts';
import type { RequestObserver } from '../observe/request-facts.ts';
import { type SurveyedBackend, connectionsInUse } from './telemetry/readings.ts';
import type { OpenBackend } from './backends.ts';
import type { CurrentQuotas } from './quotas.ts';
import { usageSource } from './usage.ts';
import { VERSION } from './version.ts';
import { siblingAddresses } from './workers/siblings.ts';
import { SignatureDiagnoser } from '../admin/diagnosis/diagnoser.ts';
import { DEFAULT_MAX_SKEW_MS } from '../auth/verdict.ts';

interface InspectionOptions {
  readonly config: Config;
  readonly currentQuotas: CurrentQuotas;
  readonly accounts: AccountDirectory;
  readonly sessions: Sessions;
  readonly buckets: Manifest['buckets'];
  readonly listing: Manifest['listing'];
  readonly newCall: (signal: AbortSignal) => Call;
  readonly requests: RequestSource;
  readonly backends: readonly (SurveyedBackend & Pick<OpenBackend, 'store' | 'systemContainer'>)[];
  readonly events: { readonly tally: EventState };
  readonly telemetry: { readonly calls: BackendCalls };
}

type EventState = Pick<EventTally, 'counts' | 'behind'>;

/** What watches requests for people, and the parts of the admin port where these look at them. */
export interface Inspection {
  readonly observers: readonly RequestObserver[];
  readonly parts: readonly AdminPart[];
}

/** Nothing is watched, kept or shown unless the configuration has an inspector. */
export function openInspection(options: InspectionOptions): Inspection {
  const { config, accounts, sessions, buckets, listing, newCall, requests, backends, events, telemetry } = options;
  const { admin, slowMs, versioningDrainMs } = config;
  if (!admin.enabled || !admin.inspector) return { observers: [], parts: [] };
  const diagnoser = signatureDiagnoser(config, accounts, sessions);
  const journal = new RequestJournal({
    maxBytes: admin.journal.maxBytes,
    slowMs,
    requests,
    diagnose: (facts) => diagnoser.explain(facts),
  });
  const traffic = new Traffic({ slowMs });
  telemetry.calls.onCall((call) => traffic.backendCall(call));
  const flush = (): void => {
    requests.flush();
    telemetry.calls.flush();
  };
  const api = inspectorApi({
    journal,
    overviews: { traffic, events: () => eventsOverview(events.tally), flush },
    buckets,
    listing,
    accountNameOf: (canonicalId) => accounts.byCanonicalId(canonicalId)?.name ?? canonicalId,
    objects: createObjectInspector({ buckets, versioningDrainMs }),
    replicas: openReplicas(config, journal, backends),
    newCall,
    version: VERSION,
    traceUrlTemplate: admin.traceUrlTemplate,
    isOwnHost: ownHosts(config),
  });
  const usage = usageRoutes({ ...usageSource(options), newCall });
  const lifecycle = lifecycleRoutes({
    read: (call) => passReports(backends, call),
    accountName: (id) => accounts.byCanonicalId(id)?.name,
    newCall,
  });
  return { observers: [diagnoser, journal, traffic], parts: [api, usage, lifecycle, inspectorPage()] };
}

/** What the last passes of lifecycle rules have come to, in all backends. */
async function passReports(backends: InspectionOptions['backends'], call: Call): Promise<FoundPassReport[]> {
  const found = await Promise.all(
    backends.map(async ({ name, store, systemContainer: system }) => {
      const reports = await readPassReports({ store, system }, call);
      return reports.map((report): FoundPassReport => ({ ...report, backend: name }));
    }),
  );
  return found.flat();
}

/** How the events of buckets stand, as this process knows it. */
function eventsOverview({ counts, behind }: EventState): EventsOverview {
  const { delivered, failed, dropped } = counts;
  return { delivered, failed, dropped, behind: [...behind].sort((a, b) => b.count - a.count).slice(0, MAX_BEHIND) };
}

/** Hosts of the configuration, and this machine for whoever looks from it. */
function ownHosts({ baseHosts, websiteHosts, region, listeners }: Config): (host: string) => boolean {
  const names = ['localhost', '127.0.0.1', '[::1]', ...listeners.map(({ host }) => host)];
  const hosts = hostResolver([...baseHosts, ...websiteHosts], region);
  return (host) => hosts.isConfigured(host) || names.includes(host.replace(/:\d*$/, ''));
}

function openReplicas({ admin }: Config, journal: RequestJournal, backends: readonly SurveyedBackend[]): Replicas {
  const { urls, dnsName, dnsPort, refreshMs } = admin.peers;
  const peers = peerAddresses({
    urls,
    refreshMs,
    ...(dnsName !== undefined && { dns: { host: dnsName, port: dnsPort ?? admin.port } }),
  });
  const id = admin.replica ?? `${hostname()}-${process.pid}`;
  const started = Date.now();
  return new Replicas({
    siblings: siblingAddresses(),
    peers,
    own: () => ({
      id,
      own: true,
      up: true,
      started,
      version: VERSION,
      ...journal.stats,
      connections: connectionsInUse(backends),
    }),
  });
}

/** Explains refused signatures; an observer of requests, too, as it learns the hosts that clients sign for. */
function signatureDiagnoser(
  { region, baseHosts, listeners }: Config,
  accounts: AccountDirectory,
  sessions: Sessions,
): SignatureDiagnoser {
  return new SignatureDiagnoser({
    region,
    maxSkewMs: DEFAULT_MAX_SKEW_MS,
    baseHosts,
    ports: listeners.map(({ port }) => port).filter((port) => port !== 0),
    credentialFor: accounts.byAccessKey,
    sessionFor: (accessKeyId, token) => sessions.credentialFor(accessKeyId, token),
    credentials: () => accounts.credentials(),
  });
}
